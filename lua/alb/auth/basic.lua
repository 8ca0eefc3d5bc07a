--- Basic auth (RFC 7617) against apr1 hashes.
-- A correct login is remembered under a keyed digest of its header, so the usual request costs one MD5.
-- May yield: no. Phases: prepare any but init; check and strip in access.
local apr1 = require("alb.auth.apr1")
local attempts = require("alb.auth.attempts")
local credentials_file = require("alb.auth.credentials_file")
local errors = require("alb.errors")
local index = require("alb.policy.index")
local source_range = require("alb.auth.source_range")
local verified = require("alb.auth.verified")

local ngx = ngx
local var = ngx.var
local clear_header = ngx.req.clear_header
local now = ngx.now
local md5_bin = ngx.md5_bin
local decode_base64 = ngx.decode_base64
local encode_base64 = ngx.encode_base64
local re_match = ngx.re.match
local expires = verified.expires
local reasons = errors.reasons
local str_find = string.find
local str_gsub = string.gsub
local str_sub = string.sub
local floor = math.floor

local _M = { field = "basic" }

-- Bytes of a password that add the cost of one login of usual length.
local COST_UNIT = 32
-- Seconds between two tries to read credentials that could not be read.
local RETRY = 1

-- quoted-string of RFC 9110, 5.6.4.
local function quote(text)
    return '"' .. str_gsub(str_gsub(text, "[%z\1-\8\10-\31\127]", " "), '[\\"]', "\\%0") .. '"'
end

--- Makes the `basic` part of a decoded auth policy ready.
---@return true ok
function _M.prepare(basic)
    basic.challenge = "Basic realm=" .. quote(basic.realm or "")
    basic.credentials = credentials_file.load(basic.file)
    basic.tried = now()
    return true
end

local function reload(basic)
    if now() - basic.tried > RETRY then
        _M.prepare(basic)
    end
    return basic.credentials
end

-- The user-id and password of an Authorization header, or nil and the reason.
local function parse(header)
    local m = re_match(header, [[^([^ ]+) *(.*)$]], "jos")
    if not m or m[1]:lower() ~= "basic" then
        return nil, nil, reasons.basic_scheme
    end
    local token = m[2]
    -- Base64 with its padding and nothing after it; nginx's decoder alone would stop at the first invalid character.
    local text = #token > 0
        and #token % 4 == 0
        and re_match(token, [[^[A-Za-z0-9+/]+={0,2}$]], "jo")
        and decode_base64(token)
    if not text then
        return nil, nil, reasons.basic_base64
    end
    local colon = str_find(text, ":", 1, true)
    -- No control characters in either (RFC 7617, 2).
    if not colon or str_find(text, "[%z\1-\31\127]") then
        return nil, nil, reasons.basic_format
    end
    return str_sub(text, 1, colon - 1), str_sub(text, colon + 1)
end

-- Only the usual spelling of a login is remembered, so writing it in thousands of ways neither fills the memory nor
-- repeats the computation.
local function key_of(set, user, password)
    return md5_bin(set.key .. "Basic " .. encode_base64(user .. ":" .. password))
end

local function refuse(basic, status, reason)
    local challenges = status == 401 and { basic.challenge } or nil
    return nil, { status = status, reason = reason, challenges = challenges }
end

-- Whose path it is: a tenant may have any number of realms.
local function namespace_of_route()
    local id = var.albc_route or ""
    local route = id ~= "" and index.route(id)
    return "namespace " .. (route and route.source[2] or "")
end

-- Computes the hash, unless too many logins of this client have failed just now, or the namespace had too many. Returns
-- nil if the login is right, else a status and the reason.
local function compute(set, user, password, key, is_known)
    if #password > apr1.MAX_PASSWORD then
        return 401, reasons.basic_wrong
    end
    local client = set.key .. str_sub(source_range.client(), 1, 8)
    local namespace = namespace_of_route()
    -- Failures elsewhere don't limit a login that was right before: only its user can have sent it.
    if
        not attempts.affords(namespace)
        or not is_known and not attempts.allowed(set.key, client, namespace)
    then
        return 429, reasons.basic_flood
    end
    local cost = 1 + floor(#password / COST_UNIT)
    attempts.computed(namespace, cost)
    if apr1.verify(set, user, password) then
        verified.add(key)
        return nil
    end
    attempts.failed(set.key, client, cost, namespace)
    return 401, reasons.basic_wrong
end

local function look_closer(set, header)
    local user, password, reason = parse(header)
    if not user then
        return 401, reason
    end
    local key = key_of(set, user, password)
    local known_until = expires(key)
    if known_until and known_until > now() then
        return nil
    end
    return compute(set, user, password, key, known_until ~= nil)
end

--- Are the credentials of the request right?
---@param basic table prepared
---@return true? passed
---@return table? refusal { status: 401, 429 or 503, reason, challenges? }
function _M.check(basic)
    local set = basic.credentials or reload(basic)
    if not set then
        return refuse(basic, 503, errors.fill(reasons.auth_invalid, "credentials can't be read"))
    end
    local header = var.http_authorization
    if not header then
        return refuse(basic, 401, reasons.basic_missing)
    end
    local known_until = expires(md5_bin(set.key .. header))
    if known_until and known_until > now() then
        return true
    end
    local status, reason = look_closer(set, header)
    if status then
        return refuse(basic, status, reason)
    end
    return true
end

--- The user of a login that is right.
function _M.user()
    return var.remote_user
end

--- Backends never see the credentials.
function _M.strip(_, is_last)
    -- Another policy of the route may have taken them out before.
    if not is_last and var.albc_remote_user == "" then
        var.albc_remote_user = var.remote_user
    end
    clear_header("Authorization")
end

return _M

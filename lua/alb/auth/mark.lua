--- The mark of the gateway's own requests to auth services, X-Albc-Question: which headers the gateway has written
-- itself, so that a gateway that the request leads back to, with the same key, believes them
-- (docs/adr/marked-questions.md).
--
-- It is a keyed digest of the time, the host of the auth URL, the target and the values. Auth services see it. It
-- vouches only for headers that precede it; those of a config map follow it. Any other request with it is refused:
-- without the headers, some auth services would judge their own URL.
-- May yield: no. Phases: start in init; the others in access.
local bit = require("bit")
local client_headers = require("alb.auth.client_headers")
local errors = require("alb.errors")
local ffi = require("ffi")
local gateway_key = require("alb.gateway_key")

local ngx = ngx
local encode_base64 = ngx.encode_base64
local ffi_str = ffi.string
local set_header = ngx.req.set_header
local sha1_bin = ngx.sha1_bin
local time = ngx.time
local concat = table.concat
local str_byte = string.byte
local str_char = string.char
local str_match = string.match
local str_sub = string.sub
local tonumber = tonumber
local var = ngx.var

local _M = {
    HEADER = "X-Albc-Question",
    --- What it vouches for, in the order of the digest.
    NAMES = {
        "x-original-uri",
        "x-scheme",
        "x-original-url",
        "x-original-method",
        "x-sent-from",
        "x-real-ip",
        "x-auth-request-redirect",
    },
}

local NAMES = _M.NAMES
local NAME = _M.HEADER:lower()
-- Seconds for which a mark is valid.
local LIFETIME = 30
local BLOCK = 64
local PORTS = { http = "80", https = "443" }

local positions = {}
for i = 1, #NAMES do
    positions[NAMES[i]] = i
end

-- The two keys of HMAC (RFC 2104). ngx.hmac_sha1 does the same, but LuaJIT can't compile it. The name tells keys apart.
local inner, outer, name_of_key

local function padded(key, byte)
    local bytes = { str_byte(key, 1, -1) }
    for i = 1, BLOCK do
        bytes[i] = str_char(bit.bxor(bytes[i] or 0, byte))
    end
    return concat(bytes)
end

--- Called in the master, when nginx starts or reloads.
function _M.start()
    local key = ngx.hmac_sha1(gateway_key.get(), "question")
    inner, outer = padded(key, 0x36), padded(key, 0x5c)
    name_of_key = str_sub(encode_base64(ngx.hmac_sha1(key, "name"), true), 1, 8)
end

local function digest(seconds, host, target, values)
    -- No line break can be in any of them.
    local text = inner
        .. seconds
        .. "\n"
        .. host
        .. "\n"
        .. target
        .. "\n"
        .. concat(values, "\n", 1, #NAMES)
    return encode_base64(sha1_bin(outer .. sha1_bin(text)), true)
end

--- The header's value.
---@param host string of the auth URL, with its port
---@param target string
---@param values string[] by position in NAMES; "" for headers that are not the gateway's
---@return string
function _M.make(host, target, values)
    local seconds = time()
    return seconds .. " " .. name_of_key .. " " .. digest(seconds, host, target, values)
end

-- The mark, and the values before it by position; without values if a header is there twice.
local function read()
    local lines, count = client_headers.read()
    local values, vouched, is_twice = { "", "", "", "", "", "", "" }, {}, false
    for i = 0, count - 1 do
        local key, value = lines[i].key, lines[i].value
        local name = ffi_str(key.data, key.len)
        if name == NAME then
            return ffi_str(value.data, value.len), not is_twice and values, vouched
        end
        local position = positions[name]
        if position then
            is_twice = is_twice or vouched[name] ~= nil
            values[position], vouched[name] = ffi_str(value.data, value.len), true
        end
    end
end

local function is_valid(seconds, given, values)
    local age = time() - tonumber(seconds)
    return values
        and age <= LIFETIME
        and age >= -LIFETIME
        and given == digest(seconds, var.http_host or "", var.request_uri, values)
end

-- Makes nginx.conf tell the backend of the first request what it would tell it of this one.
local function believe(values)
    local scheme, host = str_match(values[positions["x-original-url"]], "^(https?)://([^/]+)")
    if not scheme then
        return
    end
    set_header("X-Forwarded-Proto", scheme)
    set_header("X-Forwarded-Host", host)
    set_header("X-Forwarded-Port", str_match(host, ":(%d+)$") or PORTS[scheme])
    local address = values[positions["x-real-ip"]]
    set_header("X-Real-IP", address ~= "" and address or var.remote_addr)
    var.albc_original_uri = values[positions["x-original-uri"]]
    var.albc_marked = "1"
end

--- Reads the mark of a request that has one. Refuses a request that has another's.
---@return table<string, true>? vouched names in lower case that the gateway has written; nil: no gateway with this key
--- has made the mark
function _M.check()
    -- No question to an auth service is gRPC, whosever it is.
    var.albc_marked = "0"
    local mark, values, vouched = read()
    local seconds, key, given = str_match(mark or "", "^(%d+) (%S+) (%S+)$")
    if key ~= name_of_key then
        return nil
    end
    if not is_valid(seconds, given, values) then
        return errors.exit(400, errors.reasons.question)
    end
    believe(values)
    return vouched
end

return _M

--- The mark of the gateway's own requests to auth services, X-Albc-Question: which headers the gateway has written
-- itself, so that a gateway that the request leads back to, with the same key, believes them
-- (docs/adr/marked-questions.md).
--
-- It is a keyed digest of the time, the Host header, the target and the values, so it is worthless in any other
-- request. Auth services see it. It vouches only for headers that precede it; those of a config map follow it.
-- May yield: no. Phases: start in init; the others in access.
local bit = require("bit")
local client_headers = require("alb.auth.client_headers")
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

-- The two keys of HMAC (RFC 2104). ngx.hmac_sha1 does the same, but LuaJIT can't compile it.
local inner, outer

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
---@param host string as in the Host header
---@param target string
---@param values string[] by position in NAMES; "" for headers that are not the gateway's
---@return string
function _M.make(host, target, values)
    local seconds = time()
    return seconds .. " " .. digest(seconds, host, target, values)
end

-- The mark, and the values before it by position; nil if a header is there twice.
local function read()
    local lines, count = client_headers.read()
    local values, vouched = { "", "", "", "", "", "", "" }, {}
    for i = 0, count - 1 do
        local key, value = lines[i].key, lines[i].value
        local name = ffi_str(key.data, key.len)
        if name == NAME then
            return ffi_str(value.data, value.len), values, vouched
        end
        local position = positions[name]
        if position then
            if vouched[name] then
                return nil
            end
            values[position], vouched[name] = ffi_str(value.data, value.len), true
        end
    end
end

local function is_valid(mark, values)
    local seconds, given = str_match(mark, "^(%d+) (%S+)$")
    local age = seconds and time() - tonumber(seconds)
    return age ~= nil
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

--- Reads the mark of a request that has one.
---@return table<string, true>? vouched names in lower case that the gateway has written; nil: the mark is worthless
function _M.check()
    -- No question to an auth service is gRPC, whosever it is.
    var.albc_marked = "0"
    local mark, values, vouched = read()
    if not mark or not is_valid(mark, values) then
        return nil
    end
    believe(values)
    return vouched
end

return _M

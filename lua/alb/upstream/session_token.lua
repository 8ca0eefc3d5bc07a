--- Session tokens: which endpoint a client has, and since when.
--
-- A token contains a keyed digest of the endpoint, the start time of the session, and a digest of both. It reveals no
-- address, and only a gateway with the key (gateway_key.lua) can create one.
-- May yield: no. Phases: start in init; the others in any.
local bit = require("bit")

local ngx = ngx
local decode_base64 = ngx.decode_base64
local encode_base64 = ngx.encode_base64
local hmac_sha1 = ngx.hmac_sha1
local time = ngx.time
local rshift = bit.rshift
local str_byte = string.byte
local str_char = string.char
local str_gsub = string.gsub
local str_sub = string.sub

local _M = {}

-- The parts of a token.
local ENDPOINT_BYTES, TIME_BYTES, MAC_BYTES = 9, 4, 11
local TOKEN_BYTES = ENDPOINT_BYTES + TIME_BYTES + MAC_BYTES

local key

--- Called in the master, when nginx starts or reloads.
function _M.start()
    key = require("alb.gateway_key").get()
end

--- The digest by which tokens name an endpoint.
---@return string
function _M.digest(upstream_id, address, port)
    local text = "endpoint\n" .. upstream_id .. "\n" .. address .. "\n" .. port
    return str_sub(hmac_sha1(key, text), 1, ENDPOINT_BYTES)
end

-- The name is included, so a token is valid only for sessions of its name.
local function mac(session, payload)
    return str_sub(hmac_sha1(key, "token\n" .. session.name .. "\n" .. payload), 1, MAC_BYTES)
end

local function encode_time(seconds)
    return str_char(
        rshift(seconds, 24) % 256,
        rshift(seconds, 16) % 256,
        rshift(seconds, 8) % 256,
        seconds % 256
    )
end

local function decode_time(bytes)
    local a, b, c, d = str_byte(bytes, 1, TIME_BYTES)
    return ((a * 256 + b) * 256 + c) * 256 + d
end

--- Creates a token for a session that begins now.
---@param session table Session
---@param endpoint string digest of the endpoint
---@return string
function _M.make(session, endpoint)
    local payload = endpoint .. encode_time(time())
    local token = encode_base64(payload .. mac(session, payload), true)
    return (str_gsub(token, "[+/]", { ["+"] = "-", ["/"] = "_" }))
end

--- The endpoint's digest in a valid token; nil if the token is forged or expired.
---@param session table Session
---@param token string
---@return string? endpoint
function _M.read(session, token)
    local bytes = decode_base64((str_gsub(token, "[-_]", { ["-"] = "+", _ = "/" })))
    if not bytes or #bytes ~= TOKEN_BYTES then
        return nil
    end
    local payload = str_sub(bytes, 1, ENDPOINT_BYTES + TIME_BYTES)
    if str_sub(bytes, ENDPOINT_BYTES + TIME_BYTES + 1) ~= mac(session, payload) then
        return nil
    end
    local age = time() - decode_time(str_sub(payload, ENDPOINT_BYTES + 1))
    if session.absoluteTimeout and age >= session.absoluteTimeout then
        return nil
    end
    return str_sub(payload, 1, ENDPOINT_BYTES)
end

return _M

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

local C = ffi.C
local ngx = ngx
local concat = table.concat
local encode_base64 = ngx.encode_base64
local ffi_copy = ffi.copy
local ffi_str = ffi.string
local set_header = ngx.req.set_header
local time = ngx.time
local str_byte = string.byte
local str_char = string.char
local str_match = string.match
local str_sub = string.sub
local tonumber = tonumber
local tostring = tostring
local var = ngx.var

-- OpenSSL's own SHA-1, of nginx's process. It uses the processor's instructions for it, which ngx.sha1_bin doesn't, and
-- its state can be copied: a fifth of the time of a digest. ngx.hmac_sha1 can't be compiled by LuaJIT.
ffi.cdef([[
typedef struct {
    uint32_t h[5], low, high, data[16], count;
} albc_sha1;
int SHA1_Init(albc_sha1 *state);
int SHA1_Update(albc_sha1 *state, const void *data, size_t len);
int SHA1_Final(unsigned char *digest, albc_sha1 *state);
]])

local _M = {
    HEADER = "X-Albc-Question",
    --- What it vouches for: their lines, in this order and spelling, are what the digest is of.
    NAMES = {
        "X-Original-URI",
        "X-Scheme",
        "X-Original-URL",
        "X-Original-Method",
        "X-Sent-From",
        "X-Real-IP",
        "X-Auth-Request-Redirect",
    },
}

local NAMES = _M.NAMES
local NAME = _M.HEADER:lower()
-- Seconds for which a mark is valid.
local LIFETIME = 30
local BLOCK = 64

local lower, vouchable = {}, {}
for i = 1, #NAMES do
    lower[i] = NAMES[i]:lower()
    vouchable[lower[i]] = true
end

-- HMAC (RFC 2104): the states after its inner and its outer key. The name tells keys apart.
local SIZE, LENGTH = ffi.sizeof("albc_sha1"), 20
local inner, outer, state = ffi.new("albc_sha1"), ffi.new("albc_sha1"), ffi.new("albc_sha1")
local bytes = ffi.new("unsigned char[?]", LENGTH)
local name_of_key

local function begin(with, key, byte)
    C.SHA1_Init(with)
    for i = 1, BLOCK do
        C.SHA1_Update(with, str_char(bit.bxor(str_byte(key, i) or 0, byte)), 1)
    end
end

--- Called in the master, when nginx starts or reloads.
function _M.start()
    local key = ngx.hmac_sha1(gateway_key.get(), "question")
    begin(inner, key, 0x36)
    begin(outer, key, 0x5c)
    name_of_key = str_sub(encode_base64(ngx.hmac_sha1(key, "name"), true), 1, 8)
end

-- No line break can be in the host or the target.
local function digest(seconds, host, target, lines, size)
    local place = seconds .. "\n" .. host .. "\n" .. target .. "\n"
    ffi_copy(state, inner, SIZE)
    C.SHA1_Update(state, place, #place)
    C.SHA1_Update(state, lines, size)
    C.SHA1_Final(bytes, state)
    ffi_copy(state, outer, SIZE)
    C.SHA1_Update(state, bytes, LENGTH)
    C.SHA1_Final(bytes, state)
    return encode_base64(ffi_str(bytes, LENGTH), true)
end

local last, last_text

--- The header's value.
---@param host string of the auth URL, with its port
---@param target string
---@param lines ffi.cdata*|string the bytes of the headers that it vouches for
---@param size integer of these
---@return string
function _M.make(host, target, lines, size)
    local seconds = time()
    if seconds ~= last then
        last, last_text = seconds, tostring(seconds)
    end
    return last_text .. " " .. name_of_key .. " " .. digest(last_text, host, target, lines, size)
end

-- The mark, and the values before it by name; without values if a header is there twice.
local function read()
    local lines, count = client_headers.read()
    local values, is_twice = {}, false
    for i = 0, count - 1 do
        local key, value = lines[i].key, lines[i].value
        local name = ffi_str(key.data, key.len)
        if name == NAME then
            return ffi_str(value.data, value.len), not is_twice and values
        end
        if vouchable[name] then
            is_twice = is_twice or values[name] ~= nil
            values[name] = ffi_str(value.data, value.len)
        end
    end
end

local function lines_of(values)
    local lines = {}
    for i = 1, #NAMES do
        local value = values[lower[i]]
        lines[i] = value and NAMES[i] .. ": " .. value .. "\r\n" or ""
    end
    return concat(lines)
end

local function is_valid(seconds, given, values)
    local age = time() - tonumber(seconds)
    if not values or age > LIFETIME or age < -LIFETIME then
        return false
    end
    local lines = lines_of(values)
    return given == digest(seconds, var.http_host or "", var.request_uri, lines, #lines)
end

-- Makes nginx.conf tell the backend of the first request. X-Forwarded-* stay those of this one: its host may be another
-- tenant's, who builds links from them.
local function believe(values)
    set_header("X-Real-IP", values["x-real-ip"] or var.remote_addr)
    var.albc_original_uri = values["x-original-uri"] or ""
    var.albc_marked = "1"
end

--- Reads the mark of a request that has one. Refuses a request that has another's.
---@return table<string, string>? vouched by name in lower case, what the gateway has written; nil: no gateway with this
--- key has made the mark
function _M.check()
    -- No question to an auth service is gRPC, whosever it is.
    var.albc_marked = "0"
    local mark, values = read()
    local seconds, key, given = str_match(mark or "", "^(%d+) (%S+) (%S+)$")
    if key ~= name_of_key then
        return nil
    end
    if not is_valid(seconds, given, values) then
        return errors.exit(400, errors.reasons.question)
    end
    believe(values)
    return values
end

return _M

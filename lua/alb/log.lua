--- What the access log shows of a request besides nginx's own variables (templates/partials/log.conf.hbs).
--
-- JSON is UTF-8, and clients may send any bytes. In a text that is not UTF-8, each byte that is not ASCII is logged as
-- `\xHH`, so no byte is lost.
-- May yield: no. Phases: init (start), access, header_filter.
local ffi = require("ffi")
local nginx_variable = require("alb.nginx_variable")

local band, bor, rshift = bit.band, bit.bor, bit.rshift
local cast = ffi.cast
local ngx = ngx
local find = ngx.re.find
local var = ngx.var
local str_byte = string.byte
local str_format = string.format
local str_gsub = string.gsub

local read_agent = nginx_variable.reader("http_user_agent")
local set_as_is = nginx_variable.writer("albc_as_is")

local _M = {
    --- Whether the log is JSON, which needs the client's texts in UTF-8.
    texts = false,
    --- Whether it has the route, the user, the outcome of auth, the time that auth services took.
    route = false,
    user = false,
    auth = false,
    auth_time = false,
}

--- Called in the master.
---@param wanted string some of the names above
function _M.start(wanted)
    for name in wanted:gmatch("%S+") do
        _M[name] = true
    end
end

local WORDS = ffi.typeof("const uint64_t *")
local HALVES = ffi.typeof("const int32_t *")
local HIGH_BITS, HIGH_BITS_OF_HALF, HIGH_BIT = 0x8080808080808080ULL, 0x80808080, 0x80
local HALF, WORD, BLOCK = 4, 8, 64
-- Longer texts are searched by nginx.
local LONGEST = 4 * BLOCK

local function merge(words)
    return bor(words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7])
end

local function merge_end(bytes, length)
    return merge(cast(WORDS, bytes + length - BLOCK))
end

-- The bytes of 64 to 256, by blocks of which the last may overlap others: LuaJIT compiles no loop here.
local function merge_blocks(bytes, length)
    local words = cast(WORDS, bytes)
    local merged = bor(merge(words), merge_end(bytes, length))
    if length > 2 * BLOCK then
        merged = bor(merged, merge(words + WORD))
        if length > 3 * BLOCK then
            merged = bor(merged, merge(words + 2 * WORD))
        end
    end
    return merged
end

-- Two words at each end cover up to 32 bytes, four cover up to 64.
local function merge_few(bytes, length)
    local first, last = cast(WORDS, bytes), cast(WORDS, bytes + length - 2 * WORD)
    local merged = bor(first[0], first[1], last[0], last[1])
    if length > 4 * WORD then
        last = cast(WORDS, bytes + length - 4 * WORD)
        merged = bor(merged, first[2], first[3], last[0], last[1])
    end
    return merged
end

local function is_short_ascii(bytes, length)
    if length >= HALF then
        local first, last = cast(HALVES, bytes), cast(HALVES, bytes + length - HALF)
        return band(bor(first[0], last[0]), HIGH_BITS_OF_HALF) == 0
    elseif length == 0 then
        return true
    end
    return band(bor(bytes[0], bytes[rshift(length, 1)], bytes[length - 1]), HIGH_BIT) == 0
end

--- Returns whether all bytes are ASCII; of long texts false.
---@param bytes ffi.cdata*
---@param length integer
function _M.is_ascii(bytes, length)
    if length >= BLOCK then
        return length <= LONGEST and band(merge_blocks(bytes, length), HIGH_BITS) == 0ULL
    elseif length >= 2 * WORD then
        return band(merge_few(bytes, length), HIGH_BITS) == 0ULL
    elseif length >= WORD then
        local first, last = cast(WORDS, bytes), cast(WORDS, bytes + length - WORD)
        return band(bor(first[0], last[0]), HIGH_BITS) == 0ULL
    end
    return is_short_ascii(bytes, length)
end
local is_ascii = _M.is_ascii

-- RFC 3629, 4.
local UTF8 = [=[^(?:[\x00-\x7f]|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|\xed[\x80-\x9f][\x80-\xbf]]=]
    .. [=[|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xf0[\x90-\xbf][\x80-\xbf]{2}]=]
    .. [=[|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2})*+\z]=]

local function escape(byte)
    return str_format("\\x%02X", str_byte(byte))
end

local function shown(text)
    if not text or find(text, UTF8, "jo") then
        return text
    end
    return (str_gsub(text, "[\128-\255]", escape))
end

--- Sets the log's variables if the request's texts are not ASCII.
function _M.show()
    if _M.texts and var.albc_odd == "1" then
        var.albc_log_host = shown(var.host)
        var.albc_log_uri = shown(var.request_uri)
        var.albc_log_agent = shown(var.http_user_agent)
    end
end

--- The same for a request that goes on as it came: its host is canonical, and its target is nginx's path and query.
--- Most are ASCII, and marking those costs less than looking at them again when they are logged.
---@param target ffi.cdata*
---@param length integer
function _M.show_usual(target, length)
    if not _M.texts then
        return
    end
    local agent, size = read_agent()
    if is_ascii(target, length) and (not agent or is_ascii(agent, size)) then
        return set_as_is("1", 1)
    end
    return _M.show()
end

-- Users as they are logged. Names of users repeat, so their bytes are looked at once.
local MOST_USERS = 1000
local users, user_count = {}, 0

--- Sets the user that a check has authenticated.
---@param name string?
function _M.set_user(name)
    if not name then
        return
    end
    local text = users[name]
    if not text then
        if user_count >= MOST_USERS then
            users, user_count = {}, 0
        end
        text, user_count = shown(name), user_count + 1
        users[name] = text
    end
    var.albc_user = text
end

--- Adds the time that an auth service took.
---@param seconds number
function _M.add_time(seconds)
    local before = tonumber(var.albc_auth_time) or 0
    var.albc_auth_time = str_format("%.3f", before + seconds)
end

return _M

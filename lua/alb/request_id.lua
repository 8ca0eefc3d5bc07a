--- Ids of requests: 32 hexadecimal digits, unique among all workers and starts of nginx.
-- A random part for each worker and a number for each request. Not secret: one id tells the worker's others.
-- May yield: no. Phases: init_worker (start), rewrite and header_filter (next).
local bit = require("bit")

local str_byte = string.byte
local str_format = string.format
local str_gsub = string.gsub
local tohex = bit.tohex

local _M = {}

local RANDOM_BYTES = 12
local LAST = 0xffffffff

local prefix, count = "", 0

--- Draws the random part; called once the worker is a process of its own.
function _M.start()
    local source = assert(io.open("/dev/urandom", "rb"))
    local bytes = source:read(RANDOM_BYTES)
    source:close()
    prefix = str_gsub(bytes, ".", function(byte)
        return str_format("%02x", str_byte(byte))
    end)
    count = 0
end

--- A new id.
function _M.next()
    count = count + 1
    if count > LAST then
        _M.start()
    end
    return prefix .. tohex(count)
end

return _M

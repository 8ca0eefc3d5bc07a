--- Request ids: 32 hexadecimal digits, unique across workers and starts of nginx. An id consists of a random part for
-- each worker and a number for each request. It is not secret: the other ids of the worker can be derived from it.
-- May yield: no. Phases: init_worker (start), access and header_filter (draw).
local bit = require("bit")
local digits = require("alb.bytes").digits
local ffi = require("ffi")
local writer = require("alb.nginx_variable").writer

local band, rshift = bit.band, bit.rshift
local str_byte = string.byte

local set_id = writer("albc_id")

local _M = {}

local RANDOM_BYTES = 12
local LENGTH = 32
local LAST = 0xffffffff

-- The latest id, as bytes and as pairs of digits.
local id = ffi.new("unsigned char[?]", LENGTH)
local pairs_of_id = ffi.cast("uint16_t *", id)

local count = 0

--- Draws the random part; called after the fork of the worker.
function _M.start()
    local source = assert(io.open("/dev/urandom", "rb"))
    local random = source:read(RANDOM_BYTES)
    source:close()
    for i = 1, RANDOM_BYTES do
        pairs_of_id[i - 1] = digits[str_byte(random, i)]
    end
    count = 0
end

--- Sets $albc_id.
function _M.draw()
    count = count + 1
    if count > LAST then
        _M.start()
    end
    pairs_of_id[12] = digits[rshift(count, 24)]
    pairs_of_id[13] = digits[band(rshift(count, 16), 255)]
    pairs_of_id[14] = digits[band(rshift(count, 8), 255)]
    pairs_of_id[15] = digits[band(count, 255)]
    set_id(id, LENGTH)
end

return _M

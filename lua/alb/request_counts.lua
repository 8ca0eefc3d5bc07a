--- Counts the requests of each route: status classes, times and bytes.
--
-- The access phase names the row of a request's route, and the log phase adds the request to it. Both are in the hot
-- path: no string is created, and what nginx knows is read from its memory where no variable is as cheap.
-- May yield: no. Phases: begin in access; finish in log.
local ffi = require("ffi")
local request_memory = require("alb.nginx_request")
local rows = require("alb.rows")

local address_of_request = request_memory.address
local cast = ffi.cast
local is_known = request_memory.is_known
local ngx = ngx
local now = ngx.now
local start_time = ngx.req.start_time
local floor = math.floor
local pointer, try = request_memory.pointer, request_memory.try
local add = rows.add
local tonumber = tonumber

local _M = {
    --- Upper bounds of the buckets in milliseconds; the last bucket has none. Few: each is a series of each route.
    BOUNDS = { 5, 25, 100, 500, 2500, 10000 },
    --- Whether requests are counted; set by phases/init.
    on = false,
}

local BOUNDS = _M.BOUNDS
local BUCKETS = #BOUNDS + 1

-- Columns of a row: responses by class, from 1xx to 5xx, then the buckets.
local CLASSES = 5
local TIMES = CLASSES
local TIME = TIMES + BUCKETS
local BACKEND_TIMES = TIME + 1
local BACKEND_TIME = BACKEND_TIMES + BUCKETS
local SENT = BACKEND_TIME + 1
local RECEIVED = SENT + 1
assert(RECEIVED < rows.WIDTH)

-- Bucket by whole milliseconds: with a loop over the bounds, LuaJIT would not compile the code around it.
local LONGEST = BOUNDS[#BOUNDS]
local bucket_of = ffi.new("uint8_t[?]", LONGEST + 1)
for bucket = #BOUNDS, 1, -1 do
    ffi.fill(bucket_of, BOUNDS[bucket] + 1, bucket - 1)
end

-- Rows by the addresses of the requests in flight; -1 - row for a request whose length is read.
local current = {}

--- Called once the route of a request is known; again, if the request begins again.
---@param row integer
---@param is_unusual boolean? whether it may have a body; reading the length costs as much as all other counting
function _M.begin(row, is_unusual)
    current[address_of_request()] = is_unusual and -1 - row or row
end

--- Whether a request is counted and has not ended. Its memory is valid then.
---@param address number
function _M.is_running(address)
    return current[address] ~= nil
end

local function bucket_for(time)
    if time > LONGEST then
        return #BOUNDS
    end
    return bucket_of[time]
end

-- Milliseconds; 0 if the clock was set back.
local function duration()
    local time = floor((now() - start_time()) * 1000 + 0.5)
    return time < 0 and 0 or time
end

-- A client that leaves before the response has status 499 or none.
local function class_of(status)
    local class = floor(status / 100)
    return (class < 1 or class > CLASSES) and 4 or class
end

-- Milliseconds of all tries; -1 stands for one that did not end.
local function sum_of(tries)
    local sum = 0
    for i = 0, tonumber(tries.count) - 1 do
        local time = tonumber(cast(try, tries.first + i * tries.size).response_time)
        sum = sum + (time > 0 and time or 0)
    end
    return sum
end

local function count_backend(row, tries)
    local time
    if tries.count == 1 then
        time = tonumber(cast(try, tries.first).response_time)
    else
        time = sum_of(tries)
    end
    if time >= 0 then
        add(row, BACKEND_TIMES + bucket_for(time), 1)
        add(row, BACKEND_TIME, time)
    end
end

--- Called by log_by_lua of the servers for clients.
function _M.finish()
    local address = address_of_request()
    local row = current[address]
    if not row then
        return
    end
    current[address] = nil
    if row < 0 then
        row = -1 - row
        add(row, RECEIVED, tonumber(ngx.var.request_length))
    end
    local request = cast(pointer, address)
    local time = duration()
    add(row, class_of(ngx.status) - 1, 1)
    add(row, TIMES + bucket_for(time), 1)
    add(row, TIME, time)
    add(row, SENT, tonumber(request.connection.sent))
    if is_known and request.tries ~= nil then
        count_backend(row, request.tries)
    end
end

return _M

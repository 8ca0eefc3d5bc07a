--- Ends tries at their deadline.
--
-- nginx's timeouts restart with every byte, so a backend that sends slowly could keep a request open forever. At the
-- deadline the socket to the backend is shut down. nginx then acts as if the backend had closed the connection: another
-- try, an error for the client, or the end of a response that has begun. The socket is found in nginx's structures
-- (nginx_request.lua). It is shut down only if its peer is the endpoint of the try. If it can't be found, only nginx's
-- timeouts and the body filter apply; the same holds in a draining worker, which has no timers. See
-- docs/adr/deadlines-by-shutdown.md.
-- May yield: no. Phases: balancer, body_filter, log, timer.
local ffi = require("ffi")
local request_memory = require("alb.nginx_request")

local C = ffi.C
local cast = ffi.cast
local ffi_new = ffi.new
local ffi_str = ffi.string
local ngx = ngx
local now = ngx.now
local ceil = math.ceil
local floor = math.floor
local str_gsub = string.gsub
local address_of_request = request_memory.address
local pointer = request_memory.pointer

ffi.cdef([[
    int getpeername(int socket, void *address, uint32_t *length);
    int inet_pton(int family, const char *text, void *address);
    int shutdown(int socket, int how);
]])

-- "HTTP", nginx's mark of a request.
local SIGNATURE = 0x50545448
local AF_UNIX, AF_INET, AF_INET6 = 1, 2, 10
local BOTH_WAYS = 2
local PEER_SIZE = 128
-- Milliseconds.
local TICK = 20

local _M = {}

-- Watched requests by address, until they are logged: their memory is valid until then.
local entries = {}
-- Watched requests by the tick of their deadline.
local due = {}
local last_tick

local peer = ffi_new("unsigned char[?]", PEER_SIZE)
local peer_size = ffi_new("uint32_t[1]")
local wanted = ffi_new("unsigned char[16]")

local function put_in_bucket(tick, entry)
    local bucket = due[tick]
    if bucket then
        bucket[#bucket + 1] = entry
    else
        due[tick] = { entry }
    end
end

--- Watches the current try instead of the previous one.
---@param deadline number milliseconds since 1970
---@param address string the endpoint, IPv6 in brackets; or of a unix socket
---@param port integer?
function _M.start(deadline, address, port)
    local request = address_of_request()
    local tick = ceil(deadline / TICK)
    local entry = { request = request, tick = tick, address = address, port = port, over = false }
    entries[request] = entry
    put_in_bucket(tick, entry)
end

--- Returns whether the deadline of this request's last try has passed.
function _M.is_over()
    local entry = entries[address_of_request()]
    return entry ~= nil and (entry.over or now() * 1000 >= entry.tick * TICK)
end

--- Called by log_by_lua of the locations with watched tries, before nginx frees the request's memory.
function _M.stop()
    entries[address_of_request()] = nil
end

local function is_connected_to(fd, address, port)
    peer_size[0] = PEER_SIZE
    if C.getpeername(fd, peer, peer_size) ~= 0 then
        return false
    end
    local family = cast("uint16_t *", peer)[0]
    if family == AF_UNIX then
        return "unix:" .. ffi_str(peer + 2) == address
    end
    local text = str_gsub(address, "[%[%]]", "")
    local offset, size = 4, 4
    if family == AF_INET6 then
        offset, size = 8, 16
    elseif family ~= AF_INET then
        return false
    end
    if peer[2] * 256 + peer[3] ~= port or C.inet_pton(family, text, wanted) ~= 1 then
        return false
    end
    for i = 0, size - 1 do
        if peer[offset + i] ~= wanted[i] then
            return false
        end
    end
    return true
end

local function shut(entry)
    if not request_memory.is_known then
        return
    end
    local request = cast(pointer, entry.request)
    if request.signature ~= SIGNATURE or request.upstream == nil then
        return
    end
    local connection = request.upstream.connection
    if connection ~= nil and is_connected_to(connection.fd, entry.address, entry.port) then
        C.shutdown(connection.fd, BOTH_WAYS)
    end
end

-- A try that has not ended is checked again at the next tick: its connection may not have been established.
local function expire(bucket, tick)
    for i = 1, #bucket do
        local entry = bucket[i]
        if entries[entry.request] == entry then
            entry.over = true
            shut(entry)
            put_in_bucket(tick + 1, entry)
        end
    end
end

--- Called by the worker's timer: ends tries whose deadline has passed.
function _M.sweep()
    local tick = floor(now() * 1000 / TICK)
    if not last_tick or tick < last_tick then
        -- The first call, or the clock was set back.
        last_tick = tick - 1
    end
    for t = last_tick + 1, tick do
        local bucket = due[t]
        if bucket then
            due[t] = nil
            expire(bucket, tick)
        end
    end
    last_tick = tick
end

--- Called by body_filter_by_lua of these locations. Aborts the response: if it has no declared length, it would look
--- complete when the connection to its backend ends.
function _M.body_filter()
    if _M.is_over() then
        return ngx.ERROR
    end
end

return _M

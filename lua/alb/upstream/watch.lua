--- Ends tries at their deadline, whatever the backend does.
--
-- nginx's timeouts begin again with every byte, so a backend that drips can hold a request for ever. At the deadline
-- the socket to the backend is shut down: nginx sees the backend hang up, and goes on as it does then (another try, an
-- error for the client, or the end of a response that has begun). The socket is found through the first fields of
-- nginx's structures, which have stood there since 2009 (`ngx_http_request_t`, `ngx_http_upstream_t`,
-- `ngx_connection_t`), and it is touched only if its peer is the endpoint that the try went to. Where it can't be
-- found, nginx's timeouts and the body filter are what is left; so it is in a worker that a reload has replaced, where
-- no timer runs.
-- May yield: no. Phases: balancer, body_filter, log, timer.
local ffi = require("ffi")
local get_request = require("resty.core.base").get_request

local C = ffi.C
local cast = ffi.cast
local ffi_new = ffi.new
local ngx = ngx
local now = ngx.now
local ceil = math.ceil
local floor = math.floor
local str_find = string.find
local str_gsub = string.gsub
local tonumber = tonumber

ffi.cdef([[
    typedef struct {
        void *data;
        void *read;
        void *write;
        int fd;
    } albc_connection_t;
    typedef struct {
        void *read_event_handler;
        void *write_event_handler;
        albc_connection_t *connection;
    } albc_upstream_t;
    typedef struct {
        uint32_t signature;
        void *connection;
        void *ctx;
        void *main_conf;
        void *srv_conf;
        void *loc_conf;
        void *read_event_handler;
        void *write_event_handler;
        void *cache;
        albc_upstream_t *upstream;
    } albc_request_t;
    int getpeername(int socket, void *address, uint32_t *length);
    int inet_pton(int family, const char *text, void *address);
    int shutdown(int socket, int how);
]])

-- "HTTP", as nginx marks its requests.
local SIGNATURE = 0x50545448
local AF_INET, AF_INET6 = 2, 10
local BOTH_WAYS = 2
local PEER_SIZE = 128
-- Milliseconds.
local TICK = 20

-- An nginx built without its cache has other fields.
local known_layout = not str_find(ngx.config.nginx_configure(), "--without-http-cache", 1, true)

local _M = {}

-- Watched requests by address, until they are logged: until then their memory is theirs.
local entries = {}
-- The same by the tick in which their deadline lies.
local due = {}
local last_tick

local peer = ffi_new("unsigned char[?]", PEER_SIZE)
local peer_size = ffi_new("uint32_t[1]")
local wanted = ffi_new("unsigned char[16]")

local function address_of_request()
    return tonumber(cast("intptr_t", get_request()))
end

local function put_in_bucket(tick, entry)
    local bucket = due[tick]
    if bucket then
        bucket[#bucket + 1] = entry
    else
        due[tick] = { entry }
    end
end

--- Watches the try that is being made, in place of the one before.
---@param deadline number milliseconds since 1970
---@param address string the endpoint, IPv6 in brackets
---@param port integer
function _M.start(deadline, address, port)
    local request = address_of_request()
    local tick = ceil(deadline / TICK)
    local entry = { request = request, tick = tick, address = address, port = port, over = false }
    entries[request] = entry
    put_in_bucket(tick, entry)
end

--- Has the deadline of this request's last try passed?
function _M.is_over()
    local entry = entries[address_of_request()]
    return entry ~= nil and (entry.over or now() * 1000 >= entry.tick * TICK)
end

--- Called by log_by_lua of the locations that make watched tries: the request's memory is about to go.
function _M.stop()
    entries[address_of_request()] = nil
end

-- Is the socket connected to the endpoint?
local function is_connected_to(fd, address, port)
    peer_size[0] = PEER_SIZE
    if C.getpeername(fd, peer, peer_size) ~= 0 then
        return false
    end
    local family = cast("uint16_t *", peer)[0]
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
    if not known_layout then
        return
    end
    local request = cast("albc_request_t *", entry.request)
    if request.signature ~= SIGNATURE or request.upstream == nil then
        return
    end
    local connection = request.upstream.connection
    if connection ~= nil and is_connected_to(connection.fd, entry.address, entry.port) then
        C.shutdown(connection.fd, BOTH_WAYS)
    end
end

-- One that has not ended yet is looked at again: its connection may not have stood.
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

--- Called by the worker's timer: ends what is over.
function _M.sweep()
    local tick = floor(now() * 1000 / TICK)
    if not last_tick or tick < last_tick then
        -- The first time, or the clock was set back.
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

--- Called by body_filter_by_lua of those locations. A response without a length ends like a whole one when its backend
--- hangs up, so this says that it is none.
function _M.body_filter()
    if _M.is_over() then
        return ngx.ERROR
    end
end

return _M

--- Finds tries whose endpoint's machine has fallen silent, by what the kernel says of their connections (TCP_INFO).
--
-- A machine that is gone answers neither the start of a connection nor the data on a kept one. TCP would notice after
-- minutes; nginx waits for the connect timeout, or for a response that never comes. Kernels acknowledge at once, so a
-- slow application is not mistaken for one.
--
-- An endpoint with a try that has waited for SUSPICIOUS seconds for its connection gets no new requests of this worker
-- until it answers. All but the oldest of the tries that wait are ended, so that nginx makes others, and the oldest one
-- after BRIEF seconds. Data that had to be repeated, after 0.2 seconds at least, means that the endpoint is out until a
-- probe succeeds, and ends the try.
--
-- The connections are found in nginx's structures (nginx_request.lua). A request is valid until its log phase, so the
-- module needs request_counts.lua: without metrics of routes, it does nothing. Nor does a draining worker: no timers.
-- May yield: no. Phases: begin and was_ended in balancer, was_ended also in rewrite and header_filter; scan in timer.
require("resty.core.request")
local counts = require("alb.request_counts")
local ffi = require("ffi")
local outages = require("alb.upstream.outages")
local request_memory = require("alb.nginx_request")

local C = ffi.C
local address_of_request = request_memory.address
local cast = ffi.cast
local ffi_new = ffi.new
local ffi_string = ffi.string
local huge = math.huge
local ngx = ngx
local now = ngx.now
local pairs = pairs
local pointer = request_memory.pointer
local tonumber = tonumber
local request_pointer = ffi.typeof("ngx_http_request_t *")
local try_pointer = request_memory.try

ffi.cdef([[
    int getsockopt(int socket, int level, int name, void *value, uint32_t *size);
    int shutdown(int socket, int how);
    typedef struct {
        uint8_t state;
        uint8_t congestion;
        uint8_t retransmits;
        uint8_t other[5];
        uint32_t times[4];
        uint32_t unacknowledged;
    } albc_tcp_info_t;
]])

local TCP, TCP_INFO, BOTH_WAYS = 6, 11, 2
local SYN_SENT = 2
-- Seconds.
local INTERVAL, SUSPICIOUS = 0.05, 0.2

local is_possible = request_memory.is_known and ffi.os == "Linux"

local _M = {
    --- The methods that nginx considers non-idempotent.
    NOT_IDEMPOTENT = { POST = true, PATCH = true, LOCK = true },
}

local not_idempotent = _M.NOT_IDEMPOTENT

-- Upstreams of the tries in flight by the address of the request; false: the try was ended here. Contains requests that
-- ended since the last scan.
local running = {}
-- Tries without a connection, by the address of the request: { connection, since }.
local waiting = {}
-- Addresses of requests whose route has a limit of its own for connecting.
local patient = {}
local next_scan = 0

local INFO_SIZE = ffi.sizeof("albc_tcp_info_t")
local info, info_size = ffi_new("albc_tcp_info_t"), ffi_new("uint32_t[1]")
local method, method_size = ffi_new("unsigned char *[1]"), ffi_new("size_t[1]")

--- Called for each try of an upstream with several endpoints.
---@param own_limit boolean? whether the route has a limit of its own for connecting
function _M.begin(upstream, own_limit)
    local address = address_of_request()
    running[address] = upstream
    if own_limit then
        patient[address] = true
    end
end

--- Whether this module limits the time for connecting, so that the balancer need not set it, which costs every request.
function _M.limits()
    return is_possible and counts.on
end

--- Whether this module has ended the last try.
function _M.was_ended()
    return running[address_of_request()] == false
end

local function forget(address)
    running[address], waiting[address], patient[address] = nil, nil, nil
end

local function read_info(connection)
    info_size[0] = INFO_SIZE
    return C.getsockopt(connection.fd, TCP, TCP_INFO, info, info_size) == 0
end

-- Since when the try waits for this connection.
local function waits_since(address, connection)
    local known, at = waiting[address], tonumber(cast("intptr_t", connection))
    if not known or known.at ~= at then
        known = { at = at, since = now() }
        waiting[address] = known
    end
    return known.since
end

local function progress(request)
    local tries = request.tries
    local last = cast(try_pointer, tries.first + (tries.count - 1) * tries.size)
    return last.connect_time >= 0, last.header_time >= 0
end

-- Adds the try to `found` if its endpoint is silent.
local function look(address, upstream, found)
    local request = cast(pointer, address)
    local nginx = request.upstream
    if nginx == nil or nginx.connection == nil then
        return
    end
    local is_connected, is_answered = progress(request)
    if is_answered or not read_info(nginx.connection) then
        return forget(address)
    end
    local since
    if info.state == SYN_SENT then
        since = waits_since(address, nginx.connection)
        if now() - since < SUSPICIOUS then
            return
        end
    elseif info.retransmits == 0 then
        if is_connected and info.unacknowledged == 0 then
            forget(address)
        end
        return
    end
    local endpoint = ffi_string(nginx.name.bytes, nginx.name.length)
    found[#found + 1] =
        { address = address, upstream = upstream, endpoint = endpoint, since = since }
end

-- By upstream id and endpoint: the oldest of the tries that wait for a connection, or any other.
local function oldest_of(found)
    local oldest = {}
    for i = 1, #found do
        local try = found[i]
        local of_id = oldest[try.upstream.id] or {}
        oldest[try.upstream.id] = of_id
        local before = of_id[try.endpoint]
        if not before or try.since and try.since < (before.since or huge) then
            of_id[try.endpoint] = try
        end
    end
    return oldest
end

-- The method as nginx has it.
local function is_repeatable(address)
    local request = cast(request_pointer, address)
    if C.ngx_http_lua_ffi_req_get_method_name(request, method, method_size) ~= 0 then
        return false
    end
    return not not_idempotent[ffi_string(method[0], method_size[0])]
end

-- Ends the try if nginx makes another one then.
local function cut(address)
    local nginx = cast(pointer, address).upstream
    if nginx.tries_left > 1 then
        C.shutdown(nginx.connection.fd, BOTH_WAYS)
        running[address], waiting[address], patient[address] = false, nil, nil
        return true
    end
end

local function end_try(try, oldest)
    local upstream = try.upstream
    if try.since then
        local is_late = now() - try.since >= outages.BRIEF and not patient[try.address]
        if upstream.out and (is_late or try ~= oldest) and cut(try.address) and is_late then
            outages.failed(upstream, try.endpoint, "connect_timeout")
        end
    else
        outages.failed(upstream, try.endpoint, "unacknowledged", true)
        if upstream.out and is_repeatable(try.address) then
            cut(try.address)
        end
    end
end

--- Called by the worker's timer.
function _M.scan()
    local time = now()
    if not is_possible or time < next_scan then
        return
    end
    next_scan = time + INTERVAL
    local found = {}
    for address, upstream in pairs(running) do
        if not counts.is_running(address) then
            forget(address)
        elseif upstream then
            look(address, upstream, found)
        end
    end
    local oldest = oldest_of(found)
    outages.suspect(oldest)
    for i = 1, #found do
        local try = found[i]
        end_try(try, oldest[try.upstream.id][try.endpoint])
    end
end

return _M

--- Connections to auth services: pooled, over TLS or not, to an endpoint of a cluster Service, an address or a name.
-- Everything ends at a deadline, including name lookups, which a cosocket's own timeouts leave out.
-- May yield: open does. Phases: those with cosockets for open, any for the others.
local endpoints = require("alb.upstream.endpoints")
local ip_address = require("alb.ip_address")
local name_search = require("alb.auth.name_search")
local outages = require("alb.upstream.outages")
local reserved = require("alb.auth.reserved")
local tls = require("alb.auth.tls")

local ngx = ngx
local now = ngx.now
local tcp = ngx.socket.tcp
local sleep = ngx.sleep
local thread = ngx.thread
local co_status = coroutine.status
local concat = table.concat
local floor = math.floor
local min = math.min
local str_find = string.find

local _M = {}

-- Milliseconds of lua_socket_*_timeout in templates/partials/lua.conf.hbs, which limit a socket's waits at first.
local USUAL = 5000
-- Idle connections kept for one address by a worker, and for how many milliseconds.
local POOL_SIZE = 64
local IDLE = 30000
-- Bytes that the kernel takes without waiting for their receiver: the least that Linux gives a connection to send from.
local AT_ONCE = 16384
-- Endpoints of a Service that are tried if they refuse.
local MAX_ENDPOINTS = 3

-- The pool's name contains all that defines the kind of a connection, so one of another kind is never taken from it.
local function pool_of(service, address, port)
    local kind = service.scheme == "https" and (service.verify and "tls" or "unverified") or "plain"
    return {
        pool = "auth " .. kind .. " " .. service.host .. " " .. address .. " " .. port,
        pool_size = POOL_SIZE,
    }
end

-- Addresses in the form that sockets take; nil for a name.
local function literal_addresses(host)
    if host == "localhost" then
        -- Always this machine (RFC 6761, 6.3); a name server may not know it.
        return { "127.0.0.1", "[::1]" }
    end
    if not ip_address.parse(host) then
        return nil
    end
    return { str_find(host, ":", 1, true) and "[" .. host .. "]" or host }
end

--- Describes where an auth service is.
---@param scheme "http"|"https"
---@param host string name, or address without brackets: for TLS, and to be found by unless there is an upstream
---@param port integer
---@param verify boolean a certificate must be trusted and for the host
---@param upstream string? id of the upstream whose endpoints are asked
---@return table service
function _M.service(scheme, host, port, verify, upstream)
    local service =
        { scheme = scheme, host = host, port = port, verify = verify, upstream = upstream }
    if not upstream then
        service.pool = pool_of(service, host, port)
        service.addresses = literal_addresses(host)
    end
    return service
end

--- Limits the addresses that the service may have; not of one with an upstream.
---@param restricted table prepared by reserved.lua
function _M.restrict(service, restricted)
    service.restricted = restricted
    -- Others may use connections that this one may not.
    local limits = concat(restricted.allowed, ",") .. " " .. (restricted.healthPort or "")
    service.pool.pool = "restricted " .. limits .. " " .. service.pool.pool
end

--- Describes a service on a unix socket, each of whose connections serves one request.
---@param path string `unix:<path>`
---@return table service
function _M.socket(path)
    local service = { scheme = "http", host = path, verify = false, addresses = { path } }
    service.is_single = true
    return service
end

--- Milliseconds until the deadline, at least 1: cosockets read 0 as their default.
local function left(deadline)
    local ms = floor((deadline - now()) * 1000 + 0.5)
    return ms > 1 and ms or 1
end

--- Ends the next waits of a socket at the deadline. Setting a limit costs more than seeing that it is the one already:
--- within the usual time, on a connection that was kept, no time passes before the answer is awaited.
---@param deadline number seconds as ngx.now
function _M.limit(sock, deadline)
    local ms = left(deadline)
    if ms ~= (sock.limit or USUAL) then
        sock:settimeout(ms)
        sock.limit = ms
    end
end
local limit = _M.limit

local function handshake(sock, service, deadline)
    limit(sock, deadline)
    local ok, err = tls.handshake(sock, service.host, service.verify)
    if not ok then
        sock:close()
        return nil, "TLS: " .. (err or "failed")
    end
    return sock, nil, false
end

-- The last result: whether the endpoint can't be reached. What TLS says of it follows from who asks.
local function connect(service, address, port, pool, deadline)
    local sock = tcp()
    limit(sock, deadline)
    local ok, err
    if service.is_single then
        sock.is_single = true
        ok, err = sock:connect(address)
    else
        ok, err = sock:connect(address, port, pool)
    end
    if not ok then
        return nil, err, false, true
    end
    if sock:getreusedtimes() > 0 then
        return sock, nil, true
    end
    local refusal = service.restricted and reserved.refusal(sock, service.restricted)
    if refusal then
        sock:close()
        return nil, refusal
    end
    if service.scheme == "https" then
        return handshake(sock, service, deadline)
    end
    return sock, nil, false
end

-- A time that is shorter than a usual one shows nothing.
local function note_unreachable(upstream, endpoint, err, waited)
    if err ~= "timeout" then
        outages.failed(upstream, endpoint, "connect_failed")
    elseif waited >= outages.WAITED then
        outages.failed(upstream, endpoint, "connect_timeout")
    end
end

local function open_endpoint(service, deadline)
    local last_err = "no endpoint"
    for i = 1, MAX_ENDPOINTS do
        local address, port, upstream = endpoints.pick(service.upstream)
        if not address then
            break
        end
        local pool = pool_of(service, address, port)
        local is_brief = upstream.brief and i < MAX_ENDPOINTS
        local began = now()
        local ends = is_brief and min(deadline, began + outages.BRIEF) or deadline
        local sock, err, reused, is_unreachable = connect(service, address, port, pool, ends)
        if sock then
            return sock, nil, reused
        end
        if is_unreachable then
            note_unreachable(upstream, address .. ":" .. port, err, now() - began)
        end
        last_err = err
        if now() >= deadline then
            break
        end
    end
    return nil, last_err
end

local function open_address(service, addresses, deadline)
    local sock, err, reused
    for i = 1, #addresses do
        sock, err, reused = connect(service, addresses[i], service.port, service.pool, deadline)
        if sock or now() >= deadline then
            break
        end
    end
    return sock, err, reused
end

local function open_name(service, names, deadline)
    local sock, err, reused
    for i = 1, #names do
        sock, err, reused = connect(service, names[i], service.port, service.pool, deadline)
        if sock then
            if not reused then
                name_search.remember(service.host, names[i])
            end
            return sock, nil, reused
        end
        -- The next name is tried only if this one can't be resolved.
        if not str_find(err or "", "could not be resolved", 1, true) or now() >= deadline then
            break
        end
    end
    return nil, err
end

local function wake_at(deadline)
    sleep(left(deadline) / 1000)
    return nil, "timeout"
end

-- Runs a function that alone may exceed the deadline. Returns its results, or nil and the error.
local function in_time(deadline, run, a, b, c)
    local running = thread.spawn(run, a, b, c)
    if co_status(running) == "zombie" then
        -- Already finished, such as opening a connection that is in the pool.
        local _, first, second, third = thread.wait(running)
        return first, second, third
    end
    local alarm = thread.spawn(wake_at, deadline)
    local ok, first, second, third = thread.wait(running, alarm)
    thread.kill(running)
    thread.kill(alarm)
    if not ok then
        return nil, first
    end
    return first, second, third
end

local function open(service, deadline)
    local addresses = service.addresses
    if addresses then
        return open_address(service, addresses, deadline)
    end
    if service.upstream then
        return open_endpoint(service, deadline)
    end
    local names = name_search.candidates(service.host)
    return in_time(deadline, open_name, service, names, deadline)
end

--- Opens a connection.
---@param service table from `service`
---@param deadline number seconds as ngx.now
---@param fresh boolean none that was used before; such ones are closed
---@return table? sock
---@return string? err
---@return boolean? reused it was used before
function _M.open(service, deadline, fresh)
    for _ = 0, POOL_SIZE do
        local sock, err, reused = open(service, deadline)
        if not sock or not (fresh and reused) then
            return sock, err, reused
        end
        sock:close()
    end
    return nil, "no fresh connection"
end

local function send(sock, bytes)
    return sock:send(bytes)
end

--- Sends bytes, within the deadline.
---@param deadline number seconds as ngx.now
---@return integer? sent
---@return string? err
function _M.send(sock, bytes, deadline)
    if #bytes <= AT_ONCE then
        return sock:send(bytes)
    end
    -- nginx counts the limit of a socket anew whenever a part was sent.
    return in_time(deadline, send, sock, bytes)
end

--- Keeps a connection for later requests, if it may serve any.
function _M.keep(sock)
    if sock.is_single then
        return sock:close()
    end
    return sock:setkeepalive(IDLE, POOL_SIZE)
end

return _M

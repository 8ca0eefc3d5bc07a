--- Connections to auth services: pooled, over TLS or not, to an endpoint of a cluster Service, an address or a name.
-- Everything ends at a deadline, looking up names included (a cosocket's own timeouts leave that out).
-- May yield: open does. Phases: those with cosockets.
local endpoints = require("alb.upstream.endpoints")
local ip_address = require("alb.ip_address")
local name_search = require("alb.auth.name_search")
local tls = require("alb.auth.tls")

local ngx = ngx
local now = ngx.now
local tcp = ngx.socket.tcp
local sleep = ngx.sleep
local thread = ngx.thread
local co_status = coroutine.status
local str_find = string.find

local _M = {}

-- Idle connections kept for one address by a worker, and for how many milliseconds.
local POOL_SIZE = 64
local IDLE = 30000
-- Endpoints of a Service that are tried, when they refuse.
local MAX_ENDPOINTS = 3

--- Milliseconds until the deadline, at least 1: cosockets take 0 for their default.
local function left(deadline)
    local ms = (deadline - now()) * 1000
    return ms > 1 and ms or 1
end

-- A connection of another kind must never be taken from the pool: the name says all that makes the kind.
local function pool_of(service, address)
    local kind = service.scheme == "https" and (service.verify and "tls" or "unverified") or "plain"
    return "auth " .. kind .. " " .. service.host .. " " .. address .. " " .. service.port
end

local function handshake(sock, service, deadline)
    sock:settimeout(left(deadline))
    local ok, err = tls.handshake(sock, service.host, service.verify)
    if not ok then
        sock:close()
        return nil, "TLS: " .. (err or "failed")
    end
    return true
end

-- `pool_address`: what stands for the address in the pool's name.
local function connect(service, address, pool_address, deadline)
    local sock = tcp()
    local ms = left(deadline)
    sock:settimeouts(ms, ms, ms)
    -- Endpoints come with brackets, literal hosts of URLs without.
    local host = str_find(address, "^[^%[]*:") and "[" .. address .. "]" or address
    local ok, err = sock:connect(
        host,
        service.port,
        { pool = pool_of(service, pool_address), pool_size = POOL_SIZE }
    )
    if not ok then
        return nil, err
    end
    if sock:getreusedtimes() > 0 then
        return sock, nil, true
    end
    if service.scheme == "https" then
        ok, err = handshake(sock, service, deadline)
        if not ok then
            return nil, err
        end
    end
    return sock, nil, false
end

local function open_endpoint(service, deadline)
    local last_err = "no endpoint"
    for _ = 1, MAX_ENDPOINTS do
        local address, port = endpoints.pick(service.upstream)
        if not address then
            break
        end
        local endpoint =
            { scheme = service.scheme, host = service.host, verify = service.verify, port = port }
        local sock, err, reused = connect(endpoint, address, address, deadline)
        if sock then
            return sock, nil, reused
        end
        last_err = err
        if now() >= deadline then
            break
        end
    end
    return nil, last_err
end

local function open_name(service, names, deadline)
    local sock, err, reused
    for i = 1, #names do
        sock, err, reused = connect(service, names[i], service.host, deadline)
        if sock then
            if not reused then
                name_search.remember(service.host, names[i])
            end
            return sock, nil, reused
        end
        -- Only a name that does not exist lets the next one have a turn.
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

-- Runs `open_name`, which may take longer than the deadline by itself, against the clock.
local function open_name_in_time(service, names, deadline)
    local opening = thread.spawn(open_name, service, names, deadline)
    if co_status(opening) == "zombie" then
        -- Ended at once: the connection was in the pool.
        local _, sock, err, reused = thread.wait(opening)
        return sock, err, reused
    end
    local alarm = thread.spawn(wake_at, deadline)
    local ok, sock, err, reused = thread.wait(opening, alarm)
    thread.kill(opening)
    thread.kill(alarm)
    if not ok then
        return nil, sock
    end
    return sock, err, reused
end

local function open(service, deadline)
    if service.upstream then
        return open_endpoint(service, deadline)
    end
    local host = service.host
    if ip_address.parse(host) then
        return connect(service, host, host, deadline)
    end
    -- Always the own machine (RFC 6761, 6.3); a name server may not know it.
    if host == "localhost" then
        local sock, err, reused = connect(service, "127.0.0.1", host, deadline)
        if sock then
            return sock, err, reused
        end
        return connect(service, "::1", host, deadline)
    end
    return open_name_in_time(service, name_search.candidates(host), deadline)
end

--- Opens a connection.
---@param service table scheme, host (name or address without brackets), port, upstream?, verify
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

--- Keeps a connection for later requests.
function _M.keep(sock)
    return sock:setkeepalive(IDLE, POOL_SIZE)
end

return _M

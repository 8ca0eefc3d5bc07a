--- Carries one HTTP/1.1 request to a backend whose certificate nginx itself can't check: the names are checked before
-- a byte of the request is sent. The connection serves this request only, so everything after the head is passed
-- unchanged, including upgrades. May yield: yes. Phases: content of the hop for verified TLS.
local endpoints = require("alb.upstream.endpoints")
local errors = require("alb.errors")
local index = require("alb.policy.index")
local names = require("alb.backend_tls.names")
local peer = require("alb.upstream.peer")
local target = require("alb.upstream.target")
local tries = require("alb.upstream.tries")

local ngx = ngx
local var = ngx.var
local now = ngx.now
local tcp = ngx.socket.tcp
local thread = ngx.thread
local min = math.min
local pcall = pcall
local str_byte = string.byte

local _M = {}

local ASTERISK = 42
-- Milliseconds, if the route sets none; the same as in nginx.conf.
local CONNECT, SEND, READ = 5000, 120000, 120000
local A_DAY = 86400000
local CHUNK = 65536

-- Upstream id; milliseconds to connect, send and read; preferred position; the deadline in milliseconds since 1970.
local function plan_of(text)
    if str_byte(text, 1) == ASTERISK then
        return tries.decode(text)
    end
    local upstream, connect, send, read, preferred = target.decode(text)
    return {
        upstream = upstream,
        connect = connect,
        send = send,
        read = read,
        preferred = preferred,
        ends = 0,
        each = 0,
    }
end

local function positive(value, default)
    return value > 0 and value or default
end

-- Milliseconds left for one try; nil if there are none.
local function time_left(plan)
    local left = plan.each > 0 and plan.each or A_DAY
    if plan.ends > 0 then
        left = min(left, plan.ends - now() * 1000)
    end
    return left >= 1 and left or nil
end

local function handshake(sock, profile)
    -- Only the session gives access to the certificate. ngx_lua 0.10.28 throws if a handshake fails without waiting.
    local ok, session, err = pcall(sock.sslhandshake, sock, nil, profile.hostname, false)
    if not ok or not session then
        return nil, "TLS: " .. ((ok and err or session) or "failed")
    end
    if profile.names and not names.fit(session, profile.names) then
        return nil, "the certificate has none of the names"
    end
    return true
end

local function connect(plan, profile, position)
    local upstream = endpoints.upstream(plan.upstream)
    if not upstream or upstream.count == 0 then
        return nil, "no endpoint", errors.reasons.no_peer
    end
    local left = time_left(plan)
    if not left then
        return nil, "timeout", errors.reasons.timeout
    end
    local sock = tcp()
    sock:settimeout(min(positive(plan.connect, CONNECT), left))
    local address, port
    if position > 0 and position <= upstream.count then
        address, port = endpoints.at(upstream, position)
    else
        address, port = endpoints.next(upstream)
    end
    -- A pool name of its own keeps other connections out.
    local ok, err = sock:connect(address, port, { pool = "albc tunnel" })
    if ok then
        ok, err = handshake(sock, profile)
    end
    if ok then
        return sock
    end
    sock:close()
    ngx.log(ngx.WARN, "albc: backend ", address, ":", port, ": ", err)
    return nil, err
end

local function open(plan, profile)
    local upstream = endpoints.upstream(plan.upstream)
    local count = upstream and upstream.count or 1
    local err, reason
    for i = 1, min(peer.MAX_TRIES, count) do
        local sock
        sock, err, reason = connect(plan, profile, i == 1 and plan.preferred or 0)
        if sock then
            return sock
        end
        if reason then
            return nil, reason
        end
    end
    return nil, err == "timeout" and errors.reasons.timeout or errors.reasons.bad_gateway
end

-- The gateway's location writes one line for each header, and a Connection header only for upgrades.
local function head_of(rest)
    local lines = ngx.req.raw_header(true)
    local closing = var.http_connection and "" or "Connection: close\r\n"
    return ngx.req.get_method() .. " " .. rest .. " HTTP/1.1\r\n" .. closing .. lines
end

-- Copies all bytes from one socket to the other; returns whether it stopped because `to` accepts no more.
local function pump(from, to)
    while true do
        local data = from:receiveany(CHUNK)
        if not data then
            return false
        end
        if not to:send(data) then
            return true
        end
    end
end

local status_of = { [errors.reasons.no_peer] = 503, [errors.reasons.timeout] = 504 }

local function refuse_by_hand(client, first)
    -- nginx no longer handles this connection, so Lua has to write the response itself.
    if first == "timeout" then
        client:send(
            "HTTP/1.1 504 Gateway Timeout\r\nX-ALB-ERR-REASON: "
                .. errors.reasons.timeout
                .. "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        )
    end
end

-- Copies the response, or reports that none came.
local function download(sock, client)
    local data, err = sock:receiveany(CHUNK)
    if not data then
        return refuse_by_hand(client, err)
    end
    if client:send(data) then
        pump(sock, client)
    end
end

local function carry(sock, plan, rest)
    local left = time_left(plan) or 1
    local read = min(positive(plan.read, READ), left)
    sock:settimeouts(CONNECT, positive(plan.send, SEND), read)
    local _, err = sock:send(head_of(rest))
    if err then
        return errors.exit(502, errors.reasons.bad_gateway)
    end
    local client
    client, err = ngx.req.socket(true)
    if not client then
        ngx.log(ngx.ERR, "albc: tunnel: ", err)
        return errors.exit(500, errors.reasons.internal)
    end
    client:settimeouts(A_DAY, A_DAY, A_DAY)
    local uploading = thread.spawn(pump, client, sock)
    local downloading = thread.spawn(download, sock, client)
    local _, refused = thread.wait(uploading, downloading)
    if refused then
        -- The backend accepts no more of the request, but may have answered it.
        thread.wait(downloading)
    end
    thread.kill(uploading)
    thread.kill(downloading)
    sock:close()
end

--- Called by content_by_lua of the hop's locations; `profile_id` is the id of a BackendTls.
function _M.run(profile_id)
    local profile = index.get("backendTls", profile_id)
    if not profile then
        return errors.exit(500, errors.reasons.internal)
    end
    local plan, rest = plan_of(var.albc_backend), var.albc_pass
    local sock, reason = open(plan, profile)
    if not sock then
        return errors.exit(status_of[reason] or 502, reason)
    end
    return carry(sock, plan, rest)
end

return _M

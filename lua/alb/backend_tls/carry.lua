--- Carries one HTTP/1.1 request to one endpoint whose certificate nginx itself can't check: it is checked before a byte
-- of the request is sent. Afterwards all bytes pass unchanged, upgrades included, until one side closes. There is no
-- second request, pool, try or log, and no deadline but that for the connection: adaptor.lua says who has these.
-- May yield: yes. Phases: enter in rewrite, run in content of the server behind the unix socket.
local adaptor = require("alb.backend_tls.adaptor")
local has = require("alb.known_locations").has
local index = require("alb.policy.index")
local names = require("alb.backend_tls.names")

local ngx = ngx
local var = ngx.var
local exec = ngx.exec
local now = ngx.now
local raw_header = ngx.req.raw_header
local tcp = ngx.socket.tcp
local thread = ngx.thread
local max = math.max
local pcall = pcall
local str_find = string.find
local str_match = string.match
local str_sub = string.sub

local _M = {}

-- Milliseconds; the hop before has the limits.
local A_DAY = 86400000
local CHUNK = 65536
-- nginx closes the connection without an answer, so the hop before knows that there is none of a backend.
local CLOSE = 444
local START = "\r\n" .. adaptor.HEADER .. ": "

-- The head for the backend, and what the gateway's own line of it says.
local function read_head()
    local head = raw_header()
    local from, to = str_find(head, START, 1, true)
    local last = to and str_find(head, "\r\n", to, true)
    local at = last and adaptor.parse(str_sub(head, to + 1, last - 1))
    if not at then
        return nil
    end
    -- The gateway sends a Connection header only for upgrades.
    local closing = var.http_connection and "" or "\r\nConnection: close"
    return str_sub(head, 1, from - 1) .. closing .. str_sub(head, last), at
end

--- Enters the location with the authorities and the client certificate.
function _M.enter()
    local _, at = read_head()
    local location = at and "@adapt_" .. str_match(at.tls, "^[^-]+")
    if location and has(location) then
        return exec(location)
    end
    if at then
        adaptor.fail(at.key, false)
    end
    return ngx.exit(CLOSE)
end

local function handshake(sock, profile)
    -- Only the session gives access to the certificate. ngx_lua 0.10.28 throws if a handshake fails without waiting.
    local ok, session, err =
        pcall(sock.sslhandshake, sock, nil, profile.hostname or var.host, false)
    if not ok or not session then
        return nil, ok and err or session or "handshake failed"
    end
    -- Without a hostname, nothing is to be checked.
    local wanted = profile.names or profile.hostname and { { "hostname", profile.hostname } }
    if wanted and not names.fit(session, wanted) then
        return nil, "the certificate has none of the names"
    end
    return true
end

local function open(at, profile)
    local sock, ends = tcp(), now() + at.connect / 1000
    sock:settimeout(at.connect)
    -- A pool name of its own keeps other connections out.
    local ok, err = sock:connect(at.address, at.port, { pool = "albc adaptor" })
    if ok then
        sock:settimeout(max(1, (ends - now()) * 1000))
        ok, err = handshake(sock, profile)
    end
    if ok then
        return sock
    end
    sock:close()
    return nil, err
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

local function carry(sock, head)
    local client, err = ngx.req.socket(true)
    if not client then
        ngx.log(ngx.ERR, "albc: adaptor: ", err)
        return
    end
    sock:settimeouts(A_DAY, A_DAY, A_DAY)
    client:settimeouts(A_DAY, A_DAY, A_DAY)
    if not sock:send(head) then
        return
    end
    local uploading = thread.spawn(pump, client, sock)
    local downloading = thread.spawn(pump, sock, client)
    local _, is_refused = thread.wait(uploading, downloading)
    if is_refused then
        -- Either end may still say something to the other: the backend may have answered what it takes no more of.
        thread.wait(downloading)
    end
    thread.kill(uploading)
    thread.kill(downloading)
end

--- Called by content_by_lua of these locations.
function _M.run()
    local head, at = read_head()
    local profile = index.get("backendTls", at.tls)
    local sock, err
    if profile then
        sock, err = open(at, profile)
    end
    if not sock then
        adaptor.fail(at.key, err == "timeout")
        ngx.log(ngx.WARN, "albc: backend ", at.address, ":", at.port, ": ", err or "no such TLS")
        return ngx.exit(CLOSE)
    end
    carry(sock, head)
    sock:close()
    return ngx.exit(CLOSE)
end

return _M

--- Session persistence (Gateway API, SessionPersistence): the gateway names the endpoint that a client got in a cookie or
--- header of the response, and sends the client there as long as the endpoint serves, whatever the weights are by then.
--
-- A token holds a keyed digest of the endpoint, the time when the session began, and a digest of both: it tells nobody
-- an address, and nobody but a gateway with the key can make one. The key is environment/session.key of the run folder,
-- so gateways that have the same file know each other's sessions; without it one is drawn that lasts until nginx ends.
-- May yield: no. Phases: init (start), rewrite (resume), header_filter (response).
local add_header = require("ngx.resp").add_header
local bit = require("bit")
local endpoints = require("alb.upstream.endpoints")
local target = require("alb.upstream.target")
local tries = require("alb.upstream.tries")

local ngx = ngx
local var = ngx.var
local decode_base64 = ngx.decode_base64
local encode_base64 = ngx.encode_base64
local hmac_sha1 = ngx.hmac_sha1
local time = ngx.time
local rshift = bit.rshift
local str_byte = string.byte
local str_char = string.char
local str_find = string.find
local str_gsub = string.gsub
local str_lower = string.lower
local str_match = string.match
local str_sub = string.sub

local _M = {}

local KEY_BYTES = 32
-- Of the parts of a token.
local ENDPOINT_BYTES, TIME_BYTES, MAC_BYTES = 9, 4, 11
local TOKEN_BYTES = ENDPOINT_BYTES + TIME_BYTES + MAC_BYTES

local key

local function read_bytes(path, count)
    local file = io.open(path, "rb")
    if not file then
        return nil
    end
    local bytes = file:read(count)
    file:close()
    return bytes
end

--- Called in the master, when nginx starts or reloads.
function _M.start()
    local state = ngx.shared.albc_state
    local path = ngx.config.prefix() .. "environment/session.key"
    local given = read_bytes(path, "*a")
    if given and #given >= KEY_BYTES then
        key = given
        return
    end
    if given then
        ngx.log(ngx.ERR, "albc: session.key has less than ", KEY_BYTES, " bytes: it is not used")
    end
    state:safe_add("session_key", assert(read_bytes("/dev/urandom", KEY_BYTES)))
    key = state:get("session_key")
end

--- Called once for each decoded route.
function _M.prepare(route)
    local session = route.session
    if not session then
        return
    end
    if session["in"] == "header" then
        session.variable = "http_" .. str_gsub(str_lower(session.name), "-", "_")
    else
        session.variable = "cookie_" .. session.name
        -- A `;` would begin another attribute.
        local path = str_find(session.path, "[;%c]") and "/" or session.path
        local age = session.permanent and "; Max-Age=" .. session.absoluteTimeout or ""
        session.attributes = "; Path=" .. path .. age .. "; HttpOnly"
    end
end

local function digest_endpoint(upstream_id, address, port)
    local text = "endpoint\n" .. upstream_id .. "\n" .. address .. "\n" .. port
    return str_sub(hmac_sha1(key, text), 1, ENDPOINT_BYTES)
end

-- Positions by digest of the endpoint; made once for each decoded upstream.
local function positions_of(upstream_id, upstream)
    local positions = upstream.sessions
    if not positions then
        positions = {}
        for i = 1, upstream.count do
            positions[digest_endpoint(upstream_id, endpoints.at(upstream, i))] = i
        end
        upstream.sessions = positions
    end
    return positions
end

-- Sessions of another name are not this one's.
local function mac(session, payload)
    return str_sub(hmac_sha1(key, "token\n" .. session.name .. "\n" .. payload), 1, MAC_BYTES)
end

local function encode_time(seconds)
    return str_char(
        rshift(seconds, 24) % 256,
        rshift(seconds, 16) % 256,
        rshift(seconds, 8) % 256,
        seconds % 256
    )
end

local function decode_time(bytes)
    local a, b, c, d = str_byte(bytes, 1, TIME_BYTES)
    return ((a * 256 + b) * 256 + c) * 256 + d
end

local function make_token(session, endpoint)
    local payload = endpoint .. encode_time(time())
    local token = encode_base64(payload .. mac(session, payload), true)
    return (str_gsub(token, "[+/]", { ["+"] = "-", ["/"] = "_" }))
end

-- The endpoint's digest in a token of ours that is not too old.
local function read_token(session, token)
    local bytes = decode_base64((str_gsub(token, "[-_]", { ["-"] = "+", _ = "/" })))
    if not bytes or #bytes ~= TOKEN_BYTES then
        return nil
    end
    local payload = str_sub(bytes, 1, ENDPOINT_BYTES + TIME_BYTES)
    if str_sub(bytes, ENDPOINT_BYTES + TIME_BYTES + 1) ~= mac(session, payload) then
        return nil
    end
    local age = time() - decode_time(str_sub(payload, ENDPOINT_BYTES + 1))
    if session.absoluteTimeout and age >= session.absoluteTimeout then
        return nil
    end
    return str_sub(payload, 1, ENDPOINT_BYTES)
end

--- The backend and the position of the endpoint that this client has, of weight 0 too: what drains keeps its sessions.
---@param route table prepared, with a session
---@return table? backend nil: a new session begins
---@return integer? position
function _M.resume(route)
    local session = route.session
    local token = var[session.variable]
    local endpoint = token and token ~= "" and read_token(session, token)
    if not endpoint then
        return nil
    end
    local backends = route.backends or {}
    for i = 1, #backends do
        local id = backends[i].upstream
        local upstream = id and endpoints.upstream(id)
        local position = upstream and positions_of(id, upstream)[endpoint]
        if position then
            var.albc_session = encode_base64(endpoint)
            return backends[i], position
        end
    end
    return nil
end

-- Upstream and endpoint that have answered; nil when none has.
local function answering_endpoint()
    local times, addresses = var.upstream_header_time, var.upstream_addr
    if not times or not str_find(times, "%d$") or not addresses then
        return nil
    end
    local written = var.albc_backend
    local first = str_sub(written, 1, 1)
    local id = first == "*" and tries.decode(written).upstream or target.decode(written)
    local address, port = str_match(addresses, "([^ ,]+):(%d+)$")
    return id, address, port
end

--- Tells a client that has no session, or has another endpoint now, which one it got.
---@param route table prepared, with a session
function _M.response(route)
    local session = route.session
    local id, address, port = answering_endpoint()
    local upstream = id and address and endpoints.upstream(id)
    if not upstream then
        return
    end
    local endpoint = digest_endpoint(id, address, port)
    if not positions_of(id, upstream)[endpoint] or var.albc_session == encode_base64(endpoint) then
        return
    end
    local token = make_token(session, endpoint)
    if session["in"] == "header" then
        ngx.header[session.name] = token
        return
    end
    local secure = var.albc_scheme == "https" and "; Secure" or ""
    add_header("Set-Cookie", session.name .. "=" .. token .. session.attributes .. secure)
end

return _M

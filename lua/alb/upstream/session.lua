--- Session persistence (Gateway API, SessionPersistence): a cookie or header of the response names the client's
-- endpoint. Later requests of the client go there as long as the endpoint exists, regardless of weights.
-- May yield: no. Phases: access (resume, forget), header_filter (response).
local add_header = require("ngx.resp").add_header
local cookies = require("alb.upstream.session_cookie")
local endpoints = require("alb.upstream.endpoints")
local outages = require("alb.upstream.outages")
local peer = require("alb.upstream.peer")
local target = require("alb.upstream.target")
local tokens = require("alb.upstream.session_token")

local ngx = ngx
local var = ngx.var
local decode_base64 = ngx.decode_base64
local encode_base64 = ngx.encode_base64
local str_find = string.find
local str_gsub = string.gsub
local str_lower = string.lower
local str_match = string.match

local _M = {}

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
        local age = session.permanent and { maxAge = session.absoluteTimeout }
        session.attributes = cookies.prepare(session.path, route.sessionCookie or age)
    end
end

-- Positions by digest of the endpoint; computed once for each decoded upstream.
local function positions_of(upstream_id, upstream)
    local positions = upstream.sessions
    if not positions then
        positions = {}
        for i = 1, upstream.count do
            positions[tokens.digest(upstream_id, endpoints.at(upstream, i))] = i
        end
        upstream.sessions = positions
    end
    return positions
end

--- The backend and the position of the client's endpoint. A backend of weight 0 keeps its sessions until they end.
---@param route table prepared, with a session
---@return table? backend nil if a new session begins
---@return integer? position
function _M.resume(route)
    local session = route.session
    local token = var[session.variable]
    local endpoint = token and token ~= "" and tokens.read(session, token)
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

--- Undoes `resume`: the request does not go to the session's endpoint.
function _M.forget()
    var.albc_session = ""
end

-- Upstream and endpoint that have answered; nil if none has.
local function answering_endpoint()
    local times, addresses = var.upstream_header_time, peer.tried()
    if not times or not str_find(times, "%d$") or not addresses then
        return nil
    end
    local id = target.upstream(var.albc_backend)
    local address, port = str_match(addresses, "([^ ,]+):(%d+)$")
    return id, endpoints.upstream(id), address, port
end

--- Names the endpoint to a client that has no session or whose endpoint has changed, unless the session's endpoint is
--- out for a short time and the session does not move.
---@param route table prepared, with a session
function _M.response(route)
    local session = route.session
    local id, upstream, address, port = answering_endpoint()
    if not upstream or not address then
        return
    end
    local endpoint, positions = tokens.digest(id, address, port), positions_of(id, upstream)
    local resumed = var.albc_session
    if not positions[endpoint] or resumed == encode_base64(endpoint) then
        return
    end
    local stays = resumed ~= "" and not session.moves
    local position = stays and positions[decode_base64(resumed)]
    if position and outages.is_short(upstream, position) then
        return
    end
    local token = tokens.make(session, endpoint)
    if session["in"] == "header" then
        ngx.header[session.name] = token
        return
    end
    add_header("Set-Cookie", cookies.text(session.name, token, session.attributes))
end

return _M

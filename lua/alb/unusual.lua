--- Handles what few requests have: a body, an upgrade, the wish for events, an X-Albc-Turns header.
-- nginx sets $albc_unusual for what needs no search: a regular expression on Accept in nginx.conf costs more.
-- May yield: no. Phases: access.
local contain = require("alb.bytes").contain
local reader = require("alb.nginx_variable").reader
local turns = require("alb.turns")

local str_lower = string.lower
local var = ngx.var

local read = reader("albc_unusual")
local read_accept = reader("http_accept")

-- As EventSource sends it, alone, and MCP clients in a list.
local EVENTS = "text/event-stream"

local _M = {}

-- Only WebSocket over HTTP/1.1. If a backend accepted "Upgrade: h2c", everything that follows on the connection would
-- bypass routing and auth.
local function allow_upgrade()
    local wanted = var.http_upgrade
    if wanted and str_lower(wanted) == "websocket" and var.server_protocol == "HTTP/1.1" then
        var.albc_upgrade, var.albc_connection = "websocket", "upgrade"
        return true
    end
    return false
end

--- Whether the client asks for events, each of which is to arrive at once.
---@return boolean
function _M.wants_events()
    local accept, length = read_accept()
    return accept ~= nil and contain(accept, length, EVENTS)
end

--- Handles all of these except the body. Ends a request that loops.
---@return boolean found false if there is none of these, hence no body with a declared length
---@return boolean changed whether `location /` does not do what the request needs
function _M.look()
    local _, size = read()
    local wants_events = _M.wants_events()
    if size == 0 and not wants_events then
        return false, false
    end
    local has_turned = turns.check()
    return true, allow_upgrade() or has_turned or wants_events
end

return _M

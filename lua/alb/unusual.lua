--- Handles what few requests have: a method other than GET and HEAD, a body, an upgrade, the wish for events, an
-- X-Albc-Turns header, text that is not ASCII. Their responses are streamed, because most streams answer one of them.
-- nginx sets $albc_unusual for what needs no search: a regular expression on Accept in nginx.conf costs more.
-- May yield: no. Phases: access.
local contain = require("alb.bytes").contain
local log_text = require("alb.log_text")
local reader = require("alb.nginx_variable").reader
local turns = require("alb.turns")

local get_method = ngx.req.get_method
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
    end
end

--- Whether there is any of these. If not, there is no body with a declared length either.
---@return boolean
function _M.found()
    local _, size = read()
    if size > 0 then
        return true
    end
    local method = get_method()
    if method ~= "GET" and method ~= "HEAD" then
        return true
    end
    local accept, length = read_accept()
    return accept ~= nil and contain(accept, length, EVENTS)
end

--- Handles all of these except the body. Ends a request that loops.
---@return boolean found
function _M.look()
    if not _M.found() then
        return false
    end
    log_text.show()
    turns.check()
    allow_upgrade()
    return true
end

return _M

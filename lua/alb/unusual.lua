--- What few requests have: a body, an upgrade, turns through gateways, bytes for the log that are not ASCII.
-- nginx says in one variable whether there is any of it ($albc_unusual): all others cost one read.
-- May yield: no. Phases: access.
local log_text = require("alb.log_text")
local reader = require("alb.nginx_variable").reader
local turns = require("alb.turns")

local str_lower = string.lower
local var = ngx.var

local read = reader("albc_unusual")

local _M = {}

-- WebSocket over HTTP/1.1 and nothing else. An "Upgrade: h2c" that a backend accepted would be a tunnel past routing
-- and auth for everything that follows on the connection.
local function allow_upgrade()
    local wanted = var.http_upgrade
    if wanted and str_lower(wanted) == "websocket" and var.server_protocol == "HTTP/1.1" then
        var.albc_upgrade, var.albc_connection = "websocket", "upgrade"
    end
end

--- Looks at all of it but the body. Ends a request that is in a loop.
---@return boolean has there is any of it; false: there is no body with a length either
function _M.look()
    local _, size = read()
    if size == 0 then
        return false
    end
    log_text.show()
    turns.check()
    allow_upgrade()
    return true
end

return _M

--- Handles what few requests have: a body, an upgrade, an X-Albc-Turns header, text that is not ASCII. nginx sets
-- $albc_unusual if there is any of these, so all other requests cost one read of a variable.
-- May yield: no. Phases: access.
local log_text = require("alb.log_text")
local reader = require("alb.nginx_variable").reader
local turns = require("alb.turns")

local str_lower = string.lower
local var = ngx.var

local read = reader("albc_unusual")

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

--- Handles all of these except the body. Ends a request that loops.
---@return boolean found false if there is none of these, hence no body with a declared length
---@return boolean changed whether headers for the backend differ from those of `location /`
function _M.look()
    local _, size = read()
    if size == 0 then
        return false, false
    end
    log_text.show()
    local has_turned = turns.check()
    return true, allow_upgrade() or has_turned
end

return _M

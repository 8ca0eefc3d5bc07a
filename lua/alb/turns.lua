--- Stops requests that loop: auth services, backends and mirrors can lead back to a gateway. The header X-Albc-Turns
-- has a digit for each pass through a gateway (see also render/nginx/server-view.ts), and four for a request that the
-- gateway makes besides, to an auth service or mirror: a route may make 16 and more of these, so with one digit for
-- each pass a single request could become 17^8. No object can set or remove it; a client that sends it only reaches
-- the limit sooner.
-- May yield: no. Phases: any with a request.
local errors = require("alb.errors")

local var = ngx.var

local _M = {}

_M.HEADER = "X-Albc-Turns"

local MOST = 7

--- Ends a request that has returned too often.
---@return boolean turned whether it has been through a gateway
function _M.check()
    local turns = var.http_x_albc_turns
    if turns and #turns > MOST then
        return errors.exit(508, errors.reasons.loop)
    end
    return turns ~= nil
end

--- The header's value for a request of the gateway's own.
---@return string
function _M.next()
    return "1111" .. (var.http_x_albc_turns or "")
end

return _M

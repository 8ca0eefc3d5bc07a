--- Stops requests that loop: auth services, backends and mirrors can lead back to a gateway. The header X-Albc-Turns
-- has a digit for each pass through a gateway (see also render/nginx/server-view.ts). No object can set or remove it;
-- a client that sends it only reaches the limit sooner.
-- May yield: no. Phases: any with a request.
local errors = require("alb.errors")

local var = ngx.var

local _M = {}

_M.HEADER = "X-Albc-Turns"

local MOST = 7

--- Ends a request that returns for the eighth time.
---@return boolean turned whether it has been through a gateway
function _M.check()
    local turns = var.http_x_albc_turns
    if turns and #turns > MOST then
        return errors.exit(508, errors.reasons.loop)
    end
    return turns ~= nil
end

--- The header's value for the next hop.
---@return string
function _M.next()
    return "1" .. (var.http_x_albc_turns or "")
end

return _M

--- How often a request has been through a gateway already, by way of auth services, backends and mirrors that lead back
-- to one. The header X-Albc-Turns carries the count; $albc_turns is what the next hop gets (variables.conf.hbs).
-- No object can set or remove it, and a client that sends it only comes to the end sooner.
-- May yield: no. Phases: any with a request.
local reader = require("alb.nginx_variable").reader

local read = reader("albc_turns")

local _M = {}

_M.HEADER = "X-Albc-Turns"

--- Has the request come back for the eighth time? Then it goes nowhere else.
function _M.are_over()
    local _, size = read()
    -- A digit each time, a word in the end.
    return size ~= 1
end

return _M

--- Cross-origin resource sharing (https://fetch.spec.whatwg.org/#http-cors-protocol) in the dialect of the policy.
-- May yield: no. Phases: prepare in any; request in access, where preflights are answered; response in header_filter.
local gateway = require("alb.filters.cors_gateway")
local ingress = require("alb.filters.cors_ingress")

local var = ngx.var
local get_method = ngx.req.get_method

local _M = { field = "cors" }

local function dialect_of(cors)
    return cors.dialect == "gateway" and gateway or ingress
end

--- Called once for each decoded route.
function _M.prepare(route)
    return dialect_of(route.cors).prepare(route.cors)
end

--- Answers preflights. The question of a gateway is none: it would take the answer for a yes.
function _M.request(route)
    if get_method() == "OPTIONS" and var.albc_marked == "" then
        return dialect_of(route.cors).request(route.cors)
    end
end

function _M.response(route)
    return dialect_of(route.cors).response(route.cors)
end

return _M

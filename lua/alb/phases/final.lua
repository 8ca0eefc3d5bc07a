--- Gives a failed try its right status: what the balancer refuses leaves nginx as 500.
-- May yield: no. Phases: rewrite, in the location that error_page 500 names.
local errors = require("alb.errors")

local ngx = ngx
local var = ngx.var

local _M = {}

local status_of = {
    [errors.reasons.timeout] = 504,
    [errors.reasons.no_peer] = 503,
}

--- Called by rewrite_by_lua of @final.
function _M.run()
    local reason = var.albc_reason
    return errors.exit(status_of[reason] or 500, reason ~= "" and reason or errors.reasons.internal)
end

--- Called by rewrite_by_lua of @final_grpc, which gets every error that nginx makes for a gRPC backend.
function _M.run_grpc()
    local status = ngx.status
    local reason = var.albc_reason
    if reason == "" then
        reason = errors.nginx_reasons[status] or errors.reasons.internal
    end
    return errors.exit(status_of[reason] or status, reason)
end

return _M

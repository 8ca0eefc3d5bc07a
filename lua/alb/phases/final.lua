--- Sets the status of a failed try: nginx answers 500 if the balancer refuses.
-- May yield: no. Phases: rewrite, in the location of error_page 500.
local adaptor = require("alb.backend_tls.adaptor")
local balancer = require("alb.upstream.balancer")
local errors = require("alb.errors")
local watch = require("alb.upstream.watch")

local ngx = ngx
local var = ngx.var

local _M = {}

local status_of = {
    [errors.reasons.timeout] = 504,
    [errors.reasons.no_peer] = 503,
    [errors.reasons.bad_gateway] = 502,
    [errors.reasons.loop] = 508,
}

--- Called by rewrite_by_lua of @final.
function _M.run()
    local reason = var.albc_reason
    return errors.exit(status_of[reason] or 500, reason ~= "" and reason or errors.reasons.internal)
end

-- Status and reason of a try that failed in nginx. If watch.lua closed the connection at its deadline, or the adaptor
-- waited for one in vain, the backend was too slow.
local function outcome()
    local status, reason = ngx.status, var.albc_reason
    if reason == "" and not errors.backend_answered() then
        balancer.learn(status)
    end
    if
        reason == ""
        and status == 502
        and (watch.is_over() or adaptor.failure(var.albc_endpoint) == "timeout")
    then
        return 504, errors.reasons.timeout
    end
    if reason == "" and not errors.backend_answered() then
        reason = errors.nginx_reasons[status] or errors.reasons.internal
    end
    return status_of[reason] or status, reason
end

--- Called by rewrite_by_lua of @final_status, which gets nginx's errors for gRPC backends, and for tries with deadlines
--- or retries, and all errors that pages replace.
function _M.run_status()
    return errors.exit(outcome())
end

--- Called by rewrite_by_lua of @challenges.
function _M.run_challenges()
    return errors.exit(ngx.status, var.albc_reason)
end

return _M

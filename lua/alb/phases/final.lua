--- Gives a failed try its right status: what the balancer refuses leaves nginx as 500.
-- May yield: no. Phases: rewrite, in the location that error_page 500 names.
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

-- What nginx made of a try, as we see it: a backend whose connection was ended at its deadline was too slow.
local function outcome()
    local status, reason = ngx.status, var.albc_reason
    if reason == "" and status == 502 and watch.is_over() then
        return 504, errors.reasons.timeout
    end
    if reason == "" then
        reason = errors.nginx_reasons[status] or errors.reasons.internal
    end
    return status_of[reason] or status, reason
end

--- Called by rewrite_by_lua of @final_status, which gets the errors that nginx makes for gRPC backends, and of tries
--- with deadlines and retries.
function _M.run_status()
    return errors.exit(outcome())
end

return _M

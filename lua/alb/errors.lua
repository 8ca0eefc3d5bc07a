--- Sends the gateway's own error responses, with their reason in X-ALB-ERR-REASON.
-- May yield: no. Phases: exit in access; annotate in header_filter.
local reasons = require("alb.reasons")

local ngx = ngx
local var = ngx.var
local str_find = string.find
local str_gsub = string.gsub
local str_sub = string.sub

local _M = {}

--- Reason texts by name, from reasons.lua.
_M.reasons = reasons.text

--- Reason texts of responses that nginx produces, by status.
_M.nginx_reasons = reasons.of_nginx

--- Replaces the `<…>` of a reason's text by a value.
function _M.fill(reason, value)
    return (
        str_gsub(reason, "<%a+>", function()
            return (str_gsub(value, "%c", " "))
        end)
    )
end

-- grpc-status by HTTP status (https://github.com/grpc/grpc/blob/master/doc/http-grpc-status-mapping.md): gRPC clients
-- look at nothing else.
local grpc_status = {
    [400] = "13",
    [401] = "16",
    [403] = "7",
    [404] = "12",
    [413] = "8",
    [429] = "14",
    [431] = "8",
    [500] = "13",
    [502] = "14",
    [503] = "14",
    [504] = "4",
}

--- Returns whether the client speaks gRPC, which is always POST. A refused GET or HEAD must not get 200, which caches
--- could keep, and neither must a question of a gateway, which would take it for a yes.
function _M.is_grpc()
    local content_type = var.content_type
    return content_type ~= nil
        and str_sub(content_type, 1, 16) == "application/grpc"
        and var.request_method == "POST"
        and var.albc_marked == ""
end

--- Ends a gRPC request with HTTP 200 without a body and the outcome in grpc-status.
function _M.exit_grpc(status, reason)
    local header = ngx.header
    ngx.status = 200
    header["Content-Type"] = "application/grpc"
    header["grpc-status"] = grpc_status[status] or "2"
    header["grpc-message"] = reason
    header["X-ALB-ERR-REASON"] = reason
    header["Content-Length"] = 0
    ngx.send_headers()
    return ngx.exit(200)
end

--- Answers an error by its page, or returns; set by phases/init.
---@type fun(status: integer, reason: string)
function _M.replace() end

--- Ends the request with its error page, or with nginx's own body for the status, and the reason in X-ALB-ERR-REASON
--- and the access log.
---@param status integer 4xx or 5xx
---@param reason string without CR, LF and secrets; empty for an answer of the backend
---@param headers table<string, string|string[]>? further response headers
function _M.exit(status, reason, headers)
    var.albc_reason = reason
    if headers then
        for name, value in pairs(headers) do
            ngx.header[name] = value
        end
    end
    if _M.is_grpc() then
        return _M.exit_grpc(status, reason)
    end
    _M.replace(status, reason)
    return ngx.exit(status)
end

--- Returns whether the last try has an answer of the backend.
-- nginx lists the time of each try; "-" stands for a try without a response header.
---@return boolean
function _M.backend_answered()
    local times = var.upstream_header_time
    return times ~= nil and str_find(times, "%d$") ~= nil
end

--- Adds the reason to a response of status ≥ 400, unless it comes from the backend.
function _M.annotate(status)
    local reason = var.albc_reason
    if reason == nil or reason == "" then
        if _M.backend_answered() then
            return
        end
        reason = _M.nginx_reasons[status] or _M.nginx_reasons[500]
        var.albc_reason = reason
    end
    ngx.header["X-ALB-ERR-REASON"] = reason
end

return _M

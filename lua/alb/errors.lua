--- The answers that the gateway makes itself: their reasons (X-ALB-ERR-REASON) and the one way to send them.
-- May yield: no. Phases: exit in access; annotate in header_filter.
local reasons = require("alb.reasons")

local ngx = ngx
local var = ngx.var
local str_find = string.find
local str_gsub = string.gsub
local str_sub = string.sub

local _M = {}

--- Reason texts by name; the catalogue is reasons.lua.
_M.reasons = reasons.text

--- Reasons of the answers that nginx makes by itself, by status.
_M.nginx_reasons = reasons.of_nginx

--- Puts a value in the place that the text of a reason has for it.
function _M.fill(reason, value)
    return (
        str_gsub(reason, "<%a+>", function()
            return (str_gsub(value, "%c", " "))
        end)
    )
end

-- gRPC clients look at grpc-status only, so every refusal becomes one
-- (https://github.com/grpc/grpc/blob/master/doc/http-grpc-status-mapping.md).
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

--- Is it a gRPC client that asks? gRPC is always POST. What a cache may keep (GET and HEAD) is never answered 200 for a
-- refusal.
function _M.is_grpc()
    local content_type = var.content_type
    return content_type ~= nil
        and str_sub(content_type, 1, 16) == "application/grpc"
        and var.request_method == "POST"
end

--- Answers a gRPC request: HTTP 200 without a body, the outcome in grpc-status.
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

--- Ends the request: nginx's stock body for the status, the reason in X-ALB-ERR-REASON and the access log.
---@param status integer 4xx or 5xx
---@param reason string without CR, LF or anything secret
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
    return ngx.exit(status)
end

-- nginx lists what it knows of each try; "-" stands for a try that brought no response header.
local function backend_answered()
    local times = var.upstream_header_time
    return times ~= nil and str_find(times, "%d$") ~= nil
end

--- Names the reason on a response of status ≥ 400, unless the backend made it.
function _M.annotate(status)
    local reason = var.albc_reason
    if reason == nil or reason == "" then
        if backend_answered() then
            return
        end
        reason = _M.nginx_reasons[status] or _M.nginx_reasons[500]
        var.albc_reason = reason
    end
    ngx.header["X-ALB-ERR-REASON"] = reason
end

return _M

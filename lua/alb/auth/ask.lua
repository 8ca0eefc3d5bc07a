--- Sends one request to an auth service, within its time. Problems are logged: clients see only the reason.
-- May yield: yes. Phases: access.
local errors = require("alb.errors")
local http_client = require("alb.auth.http_client")
local index = require("alb.policy.index")
local locate = require("alb.auth.service").locate

local ngx = ngx
local now = ngx.now
local min = math.min
local reasons = errors.reasons

-- Milliseconds, if the settings have none.
local DEFAULT_TIMEOUT = 5000

--- Asks. `build(settings, authority, part)` returns the request as bytes, or nil and the error; `part` is passed to it.
---@param settings table prepared
---@param build fun(settings: table, authority: string, part: any): string?, string?
---@param part any
---@param method string
---@param ends number seconds as ngx.now: when the request's own deadline is
---@param wanted table<string, true> headers of the answer that are read, in lower case
---@param max_body integer? bytes of the answer's body that are read; nil: the body is not wanted
---@return table? response
---@return string? reason
---@return integer? status where the reason has one of its own
return function(settings, build, part, method, ends, wanted, max_body)
    local service, authority = locate(settings)
    local bytes, err
    if service then
        bytes, err = build(settings, authority, part)
    end
    if not bytes then
        ngx.log(ngx.WARN, "albc: auth request: ", err or authority)
        return nil, reasons.forward_build
    end
    local deadline = min(now() + (index.settings().authTimeout or DEFAULT_TIMEOUT) / 1000, ends)
    local response
    response, err = http_client.request(service, method, bytes, deadline, wanted, max_body)
    if not response then
        ngx.log(ngx.WARN, "albc: auth service ", settings.scheme, "://", authority, ": ", err)
        if err == "timeout" and deadline == ends then
            return nil, reasons.timeout, 504
        end
        return nil, reasons.forward_send
    end
    return response
end

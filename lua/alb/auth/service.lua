--- An auth service: its URL, which may contain variables, and requests to it.
-- May yield: ask does. Phases: prepare any; the others in access.
local connection = require("alb.auth.connection")
local counters = require("alb.counters")
local errors = require("alb.errors")
local growth = require("alb.growth")
local http_client = require("alb.auth.http_client")
local index = require("alb.policy.index")
local log = require("alb.log")
local interpolation = require("alb.interpolation")
local reserved = require("alb.auth.reserved")
local trace = require("alb.trace")
local turns = require("alb.turns")

local ngx = ngx
local expand = interpolation.expand
local is_failure = http_client.is_failure
local min = math.min
local now = ngx.now
local re_match = ngx.re.match
local reasons = errors.reasons
local str_find = string.find
local tonumber = tonumber
local type = type

local _M = {}

local DEFAULT_PORT = { http = 80, https = 443 }
-- Milliseconds, if the settings have none.
local DEFAULT_TIMEOUT = 5000

-- Host without brackets, port and authority of a host that contained variables: it may bring its own port.
local function take_apart(text)
    local m =
        re_match(text, [[^(?:\[([0-9A-Fa-f:.]+)\]|([\w-]+(?:\.[\w-]+)*\.?))(?::([0-9]+))?$]], "jo")
    if not m then
        return nil, "host"
    end
    return m[1] or m[2], m[3] or nil
end

local function expand_host(forward)
    local text, err = expand(forward.host_text, growth.MOST_TARGET)
    if not text or text == forward.host_text then
        return text, err
    end
    return take_apart(text)
end

-- The port as text, nil for the scheme's default.
local function expand_port(forward, of_host)
    if not forward.port_text then
        return of_host
    end
    -- Two ports are invalid.
    return not of_host and expand(forward.port_text, growth.MOST_TARGET) or ""
end

-- The auth service and its authority; nil and the error if a variable's value is not valid in its place.
local function find(forward)
    local host, port_text = expand_host(forward)
    if not host then
        return nil, port_text
    end
    local authority = str_find(host, ":", 1, true) and "[" .. host .. "]" or host
    local port = DEFAULT_PORT[forward.scheme]
    port_text = expand_port(forward, port_text)
    if port_text then
        port = str_find(port_text, "^%d+$") and tonumber(port_text) or 0
        if port < 1 or port > 65535 then
            return nil, "port"
        end
        authority = authority .. ":" .. port_text
    end
    local service = connection.service(forward.scheme, host, port, forward.verify, forward.upstream)
    if forward.restricted then
        connection.restrict(service, forward.restricted)
    end
    return service, authority
end

--- Can the text be the target of a request line? A blank would end the target, a control character the line.
---@param text string
---@return boolean
function _M.is_target(text)
    return not str_find(text, "[%z\1-\32\127]")
end

--- Makes the URL of decoded settings ready to expand.
---@param settings table AuthUrl
---@return true? ok
---@return string? err
function _M.prepare(settings)
    local port, err
    -- Read while the policy is prepared, so that a change of the gateway's settings prepares it again.
    settings.verify = index.settings().authTlsVerify ~= false
    if settings.restricted then
        reserved.prepare(settings.restricted)
    end
    settings.host_text, err = interpolation.prepare(settings.host)
    if err then
        return nil, err
    end
    if settings.port then
        port, err = interpolation.prepare(settings.port)
        if err then
            return nil, err
        end
        settings.port_text = port
    end
    settings.target_text, err = interpolation.prepare_url(settings.target)
    if
        not err
        and type(settings.target_text) == "string"
        and not _M.is_target(settings.target_text)
    then
        err = "character in the URL"
    end
    if err then
        return nil, err
    end
    return true
end

-- The auth service (see connection.lua) and its authority; nil and the error if a variable's value is not valid in its
-- place. Cached if it does not depend on the request.
local function locate(forward)
    if forward.service then
        return forward.service, forward.authority
    end
    local service, authority = find(forward)
    if type(forward.host_text) == "string" and type(forward.port_text) ~= "table" then
        forward.service, forward.authority = service, authority
    end
    return service, authority
end

local function unbuilt(err)
    ngx.log(ngx.WARN, "albc: auth request: ", err)
    if err == growth.TOO_LONG then
        return nil, reasons.forward_grown, 414
    end
    if err == turns.SPENT then
        return nil, reasons.loop, 508
    end
    return nil, reasons.forward_build
end

--- Sends one request to the auth service, within its time. Problems are logged: clients see only the reason.
-- `build(settings, authority, part)` returns the request as bytes, or nil and the error; `part` is passed to it.
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
function _M.ask(settings, build, part, method, ends, wanted, max_body)
    local service, authority = locate(settings)
    if not service then
        return unbuilt(authority)
    end
    local bytes, err = build(settings, authority, part)
    if not bytes then
        return unbuilt(err)
    end
    local start = now()
    local deadline = min(start + (index.settings().authTimeout or DEFAULT_TIMEOUT) / 1000, ends)
    local response, is_known
    response, err, is_known =
        http_client.request(service, method, bytes, deadline, wanted, max_body, settings.answers)
    if log.auth_time then
        log.add_time(now() - start)
    end
    if trace.spans then
        trace.note_auth(start, now() - start, authority, response and response.status)
    end
    if not response then
        ngx.log(ngx.WARN, "albc: auth service ", settings.scheme, "://", authority, ": ", err)
        if err == "timeout" and deadline == ends then
            return nil, reasons.timeout, 504
        end
        return nil, reasons.forward_send
    end
    if is_failure(response) and response.status < 300 then
        return nil, reasons.forward_failure
    end
    counters.answered(is_known)
    return response
end

return _M

--- The URL of an auth service, which may contain variables.
-- May yield: no. Phases: prepare any; the others in access.
local connection = require("alb.auth.connection")
local index = require("alb.policy.index")
local interpolation = require("alb.interpolation")

local expand = interpolation.expand
local re_match = ngx.re.match
local str_find = string.find
local tonumber = tonumber
local type = type

local _M = {}

local DEFAULT_PORT = { http = 80, https = 443 }

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
    local text, err = expand(forward.host_text)
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
    return not of_host and expand(forward.port_text) or ""
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
    local verify = index.settings().authTlsVerify ~= false
    return connection.service(forward.scheme, host, port, verify, forward.upstream), authority
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

--- The auth service, cached if it does not depend on the request: if the settings change, all policies are decoded
--- again.
---@param forward table prepared
---@return table? service see connection.lua; nil when a variable can't stand where it does
---@return string authority value of Host; else the error
function _M.locate(forward)
    if forward.service then
        return forward.service, forward.authority
    end
    local service, authority = find(forward)
    if type(forward.host_text) == "string" and type(forward.port_text) ~= "table" then
        forward.service, forward.authority = service, authority
    end
    return service, authority
end

return _M

--- Forward auth: an auth service decides.
-- 2xx lets the request pass, 401 redirects to the sign-in page if there is one, 403 refuses, all others are errors.
-- May yield: check does. Phases: prepare any but init; check and apply in access.
local auth_request = require("alb.auth.auth_request")
local client_headers = require("alb.auth.client_headers")
local cookies = require("alb.auth.cookies")
local errors = require("alb.errors")
local growth = require("alb.growth")
local http_client = require("alb.auth.http_client")
local identity = require("alb.auth.identity")
local interpolation = require("alb.interpolation")
local service = require("alb.auth.service")
local of_hop = require("alb.headers").of_hop

local ngx = ngx
local huge = math.huge
local clear_header = ngx.req.clear_header
local set_header = ngx.req.set_header
local expand = interpolation.expand
local NONE = client_headers.NONE
local reasons = errors.reasons
local ask = service.ask

local _M = { field = "forward" }

-- The sign-in page and its return URL, ready to expand.
local function prepare_signin(forward)
    local err, problem
    if forward.signin then
        forward.signin_text, err = interpolation.prepare_url(forward.signin)
    end
    forward.redirect, problem = interpolation.prepare(forward.requestRedirect or {})
    return err or problem
end

-- Names that the auth service may set in the backend's request: never those that say where the request ends.
local function prepare_response_headers(forward)
    forward.sets, forward.sets_name = {}, {}
    local wanted = http_client.with_framing({ ["set-cookie"] = true, ["www-authenticate"] = true })
    identity.want(wanted)
    for _, name in ipairs(forward.responseHeaders or {}) do
        name = name:lower()
        if not of_hop[name] then
            forward.sets[#forward.sets + 1] = name
            forward.sets_name[client_headers.fold(name)] = true
            wanted[name] = true
        end
    end
    forward.wanted, forward.answers = wanted, http_client.answers()
end

--- Makes the `forward` part of a decoded auth policy ready.
---@return true? ok
---@return string? err what is wrong with it
function _M.prepare(forward)
    local ok, err = service.prepare(forward)
    err = not ok and err or prepare_signin(forward)
    if err then
        return nil, err
    end
    prepare_response_headers(forward)
    return auth_request.prepare(forward)
end

local function build(forward, authority, declared)
    local target, err = expand(forward.target_text, growth.MOST_TARGET)
    if not target then
        return nil, err
    end
    if target ~= forward.target_text and not service.is_target(target) then
        return nil, "character in the URL"
    end
    return auth_request.build(forward, target, authority, declared)
end

local function put_question(forward, ends)
    local declared = client_headers.declared()
    local response, reason, status =
        ask(forward, build, declared, forward.method, ends, forward.wanted)
    -- Hop-by-hop headers end here; the backend must not see headers that the auth service did not see.
    -- LuaJIT would give up on a loop that does nothing.
    if declared ~= NONE then
        for name in pairs(declared) do
            clear_header(name)
        end
    end
    return response, reason, status
end

local function refuse_unauthorized(forward, refusal, response)
    refusal.status = 401
    refusal.challenges = response.headers["www-authenticate"]
    if forward.signin_text then
        local location, err = expand(forward.signin_text, growth.MOST_TARGET)
        if location then
            refusal.location = location
            refusal.cookies = response.headers["set-cookie"]
            return refusal
        end
        ngx.log(ngx.WARN, "albc: sign-in URL: ", err)
        refusal.reason = reasons.forward_signin
    end
    return refusal
end

local function refuse(forward, response)
    local status = response.status
    local refusal = {
        -- 508 is kept, so that the outer gateway reports the loop.
        status = (status == 403 or status == 508) and status or 500,
        reason = errors.fill(reasons.forward_status, status),
        cookies = forward.alwaysSetCookie and response.headers["set-cookie"] or nil,
    }
    if status == 401 then
        return refuse_unauthorized(forward, refusal, response)
    end
    return refusal
end

--- Asks the auth service.
---@param forward table prepared
---@param ends number? seconds as ngx.now: when the request's own deadline is
---@return table? response when it lets the request pass, for `apply`
---@return table? refusal { status, reason, location?, challenges?: string[], cookies?: string[] }
function _M.check(forward, ends)
    local response, reason, problem = put_question(forward, ends or huge)
    if not response then
        return nil, { status = problem or 500, reason = reason }
    end
    if response.status >= 200 and response.status < 300 then
        return response
    end
    return nil, refuse(forward, response)
end

--- The user that the auth service names.
_M.user = identity.of

--- Sets the auth service's headers for the backend, and removes headers of the same names that the client sent.
---@param forward table prepared
---@param response table? nil when the service was not asked
function _M.apply(forward, response)
    local sets = forward.sets
    if #sets > 0 then
        client_headers.clear(forward.sets_name)
    end
    for i = 1, #sets do
        local name = sets[i]
        local values = response and response.headers[name]
        if values then
            set_header(name, #values == 1 and values[1] or values)
        end
    end
    local lines = response and response.headers["set-cookie"]
    if lines then
        cookies.add(lines, forward.alwaysSetCookie == true)
    end
end

return _M

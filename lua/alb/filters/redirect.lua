--- Answers with a redirect (RequestRedirect, ssl-redirect, permanent-redirect, redirects of Rules).
-- May yield: no. Phases: access.
local errors = require("alb.errors")
local expression = require("alb.route.expression")
local growth = require("alb.growth")
local index = require("alb.policy.index")
local path = require("alb.filters.path")
local request_host = require("alb.request_host").get

local ngx = ngx
local var = ngx.var
local str_find = string.find

local _M = { field = "redirect" }

local well_known_port = { http = 80, https = 443 }

--- Called once for each decoded route.
function _M.prepare(route)
    local redirect = route.redirect
    if redirect.url then
        redirect.location = path.encode_uri(redirect.url)
    elseif redirect.path then
        path.prepare(redirect.path)
    end
end

-- Gateway API's rule: an explicit port, else the default port of an explicit scheme, else the listener's port. A client
-- whose scheme differs from the listener's came through a proxy, so its port is unknown.
local function port_of(redirect, scheme, server)
    if redirect.port then
        return redirect.port
    end
    local listener_scheme = server.tls and "https" or "http"
    if redirect.scheme or scheme ~= listener_scheme then
        return well_known_port[scheme]
    end
    return server.port
end

--- The Location of a prepared redirect.
---@param redirect table Redirect
---@param server { port: integer, tls: boolean } of the listener that received the request
---@param request { scheme: string, host: string, uri: string, target: string, args: string }
--- the client's scheme, host without port, then the arguments of path.rewrite
---@return string? location
---@return string? err
function _M.location(redirect, server, request)
    if redirect.location then
        return redirect.location
    end
    local new, query, err
    if redirect.path then
        new, query, err = path.rewrite(redirect.path, request.uri, request.target, request.args)
        if err then
            return nil, err
        end
    end
    local scheme = redirect.scheme or request.scheme
    local authority = redirect.host or request.host
    local port = port_of(redirect, scheme, server)
    if port ~= well_known_port[scheme] then
        authority = authority .. ":" .. port
    end
    local raw = path.of_target(request.target)
    if new == nil then
        -- `OPTIONS *` and targets without a path.
        new = str_find(raw, "^/") and raw or request.uri
    end
    local target = path.join(new, query or request.args)
    return path.encode_uri(scheme .. "://" .. authority .. target)
end

--- Ends the request with the redirect and nginx's own body, unless the client already uses `unlessScheme`.
---@param route table
---@param server { port: integer, tls: boolean }
function _M.apply(route, server)
    local redirect = route.redirect
    local scheme = var.albc_scheme
    if redirect.unlessScheme == scheme then
        return
    end
    local location, err = _M.location(redirect, server, {
        scheme = scheme,
        host = request_host(),
        uri = var.uri,
        target = var.request_uri,
        args = var.args or "",
    })
    if not location then
        if err == expression.TOO_LONG then
            return errors.exit(400, errors.reasons.too_long)
        end
        if err == growth.TOO_LONG then
            return errors.exit(414, errors.reasons.grown)
        end
        ngx.log(ngx.ERR, "albc: redirect of route ", route.id, ": ", err)
        return errors.exit(500, errors.reasons.internal)
    end
    ngx.header["Location"] = location
    return ngx.exit(redirect.status)
end

--- Runs after the request has passed auth.
---@param server_id string
function _M.after_auth(route, server_id)
    return _M.apply(route, index.get("servers", server_id))
end

--- Runs before all other filters, unless auth comes first.
---@param server_id string
function _M.request(route, server_id)
    if not route.authFirst then
        return _M.after_auth(route, server_id)
    end
end

return _M

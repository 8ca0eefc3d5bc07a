--- Answers with a redirect (RequestRedirect, ssl-redirect, permanent-redirect, redirects of Rules).
-- May yield: no. Phases: access.
local errors = require("alb.errors")
local expression = require("alb.route.expression")
local growth = require("alb.growth")
local index = require("alb.policy.index")
local interpolation = require("alb.interpolation")
local path = require("alb.filters.path")
local request_host = require("alb.request_host").get

local ngx = ngx
local var = ngx.var
local str_byte = string.byte
local str_find = string.find
local type = type

local SLASH = 47

local _M = { field = "redirect" }

local well_known_port = { http = 80, https = 443 }

-- A URL without variables and captures is a text, `location`; the others have `segments`. No policy of the compiler has
-- an unknown variable; it gives 500.
local function prepare_url(redirect)
    local prepared, err = interpolation.prepare_url(redirect.url)
    redirect.segments, redirect.err = prepared, err
    if type(prepared) == "string" and not redirect.keepsQuery then
        redirect.location = path.encode_uri(prepared)
    end
    local first = redirect.url[1]
    redirect.is_path = type(first) == "string" and str_byte(first, 1) == SLASH
    local captures = redirect.captures
    redirect.expression = captures and expression.new(captures[1], captures[2] == "i", true)
end

-- The Location of a URL, with its captures, variables and the client's query.
local function url_location(redirect, uri, args, slots)
    local captures = slots
    if redirect.location or redirect.err then
        return redirect.location, redirect.err
    elseif redirect.expression then
        local err
        captures, err = expression.match(redirect.expression, uri)
        if not captures then
            return nil, err or "the path does not match"
        end
    end
    local text, err = interpolation.expand(redirect.segments, growth.MOST_TARGET, captures)
    if not text then
        return nil, err, err ~= growth.TOO_LONG
    end
    if redirect.is_path then
        text = path.absolute(text)
    end
    if redirect.keepsQuery and args ~= "" then
        text = text .. (str_find(text, "?", 1, true) and "&" or "?") .. args
    end
    return path.encode_uri(text)
end

---@param redirect table decoded
function _M.prepare_redirect(redirect)
    if redirect.url then
        prepare_url(redirect)
    elseif redirect.path then
        path.prepare(redirect.path)
    end
end

--- Called once for each decoded route.
function _M.prepare(route)
    return _M.prepare_redirect(route.redirect)
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
---@param request { scheme: string, host: string, uri: string, target: string, args: string, slots: table? }
--- the client's scheme, host without port, then the arguments of path.rewrite; captures of the URL, unless it has an
--- expression
---@return string? location
---@return string? err
---@return boolean? is_refused a value of the request is not allowed in its place
function _M.location(redirect, server, request)
    if redirect.url then
        return url_location(redirect, request.uri, request.args, request.slots)
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
---@param redirect table prepared
---@param route table that has it
---@param server { port: integer, tls: boolean }
---@param slots table? captures and variables of a snippet
function _M.send(redirect, route, server, slots)
    local scheme = var.albc_scheme
    if redirect.unlessScheme == scheme then
        return
    end
    local location, err, is_refused = _M.location(redirect, server, {
        scheme = scheme,
        host = request_host(),
        uri = var.uri,
        target = var.request_uri,
        args = var.args or "",
        slots = slots,
    })
    if not location then
        if err == expression.TOO_LONG then
            return errors.exit(400, errors.reasons.too_long)
        elseif is_refused then
            return errors.exit(400, errors.reasons.redirect_value)
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
    return _M.send(route.redirect, route, index.get("servers", server_id))
end

--- Runs before all other filters, unless auth comes first.
---@param server_id string
function _M.request(route, server_id)
    if not route.authFirst then
        return _M.after_auth(route, server_id)
    end
end

return _M

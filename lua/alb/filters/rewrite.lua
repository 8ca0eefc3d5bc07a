--- Rewrites the path that the backend sees (rewrite-target, URLRewrite, rewrite_base of Rules).
-- May yield: no. Phases: access.
local errors = require("alb.errors")
local expression = require("alb.route.expression")
local path = require("alb.filters.path")

local ngx = ngx
local var = ngx.var
local set_uri = ngx.req.set_uri
local set_uri_args = ngx.req.set_uri_args
local str_sub = string.sub

local _M = { field = "rewrite" }

--- Called once for each decoded route.
function _M.prepare(route)
    path.prepare(route.rewrite)
end

--- The request target for the backend, path and query as they go on the wire. An expression that
-- can't be evaluated (a backtracking limit, say) ends the request with 500.
---@param route table
---@return string? target nil: as the client sent it
function _M.uri(route)
    local rewrite = route.rewrite
    if not rewrite then
        return nil
    end
    local new, query, err = path.rewrite(rewrite, var.uri, var.request_uri, var.args or "")
    if err then
        if err == expression.TOO_LONG then
            return errors.exit(400, errors.reasons.too_long)
        end
        ngx.log(ngx.ERR, "albc: rewrite of route ", route.id, ": ", err)
        return errors.exit(500, errors.reasons.internal)
    end
    return new and path.join(new, query)
end

--- Makes the rewritten target the request's own, for locations that can't be given one (gRPC). nginx
-- keeps the path decoded and escapes it again on its way to the backend.
function _M.apply(route)
    local target = _M.uri(route)
    if not target then
        return
    end
    local raw = path.of_target(target)
    set_uri(path.decode(raw), false, true)
    set_uri_args(str_sub(target, #raw + 2))
end

return _M

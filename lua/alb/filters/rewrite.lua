--- Rewrites the path for the backend (rewrite-target, URLRewrite, rewrite_base of Rules).
-- May yield: no. Phases: access.
local errors = require("alb.errors")
local expression = require("alb.route.expression")
local growth = require("alb.growth")
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

--- Returns the request target for the backend, encoded path and query. If the expression can't be evaluated (for
--- example, at its backtracking limit), ends the request with 500.
---@param route table
---@return string? target nil if the client's target stays
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
        if err == growth.TOO_LONG then
            return errors.exit(414, errors.reasons.grown)
        end
        ngx.log(ngx.ERR, "albc: rewrite of route ", route.id, ": ", err)
        return errors.exit(500, errors.reasons.internal)
    end
    return new and path.join(new, query)
end

--- Sets the rewritten target as the request's own, for locations that take no other target (gRPC). nginx keeps the path
--- decoded and escapes it again for the backend. If that would be another path, ends the request with 400.
function _M.apply(route)
    local target = _M.uri(route)
    if not target then
        return
    end
    local raw = path.of_target(target)
    if path.is_changed_by_decoding(raw) then
        return errors.exit(400, errors.reasons.rewritten_escape)
    end
    set_uri(path.decode(raw), false, true)
    set_uri_args(str_sub(target, #raw + 2))
end

return _M

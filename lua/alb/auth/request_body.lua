--- The client's body for an auth service; the backend gets it, too.
-- May yield: yes. Phases: access.
local body = require("alb.body")
local errors = require("alb.errors")
local has = require("alb.known_locations").has

local ngx = ngx
local var = ngx.var
local exec = ngx.exec

local _M = {}

local AGAIN = "@again"

--- Waits for a body without a length: it is read where nginx limits it (templates/partials/server.conf.hbs), then the
--- phases restart. To be called before anything of the request is changed, where a later `read` would begin it again:
--- what begins again must be what the client sent.
function _M.await()
    if var.albc_next == AGAIN then
        return
    end
    if not has(AGAIN) then
        -- No auth service got bodies before the reload that is to come.
        return errors.exit(503, errors.reasons.unavailable)
    end
    var.albc_next = AGAIN
    return exec("@held")
end

--- The body, "" when none is wanted.
---@param limit integer bytes; 0: none is wanted
---@return string? body nil: it is longer
---@return string? reason
function _M.read(limit)
    if limit == 0 then
        return ""
    end
    local length = body.length()
    if length and length > limit then
        return nil, errors.reasons.body_too_large
    end
    if body.lacks_length() then
        _M.await()
    elseif not length then
        return ""
    end
    local text = body.read() or ""
    if #text > limit then
        return nil, errors.reasons.body_too_large
    end
    return text
end

return _M

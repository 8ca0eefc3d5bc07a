--- The client's body for an auth service; the backend gets it, too.
-- May yield: yes. Phases: access.
local body = require("alb.body")
local errors = require("alb.errors")
local has = require("alb.known_locations").has

local ngx = ngx
local var = ngx.var
local exec = ngx.exec
local http_version = ngx.req.http_version

local _M = {}

local AGAIN = "@again"

-- Of a request without a declared length.
local function may_have_one()
    return var.http_transfer_encoding ~= nil or http_version() >= 2
end

--- Whether there may be a body without a declared length.
function _M.lacks_length()
    return not body.length() and may_have_one()
end

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
    if not length then
        if not may_have_one() then
            return ""
        end
        _M.await()
    end
    local text = body.read() or ""
    if #text > limit then
        return nil, errors.reasons.body_too_large
    end
    return text
end

return _M

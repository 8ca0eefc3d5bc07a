--- The client's body for an auth service; the backend gets it, too.
-- May yield: yes. Phases: access.
local body = require("alb.body")
local errors = require("alb.errors")

local ngx = ngx
local var = ngx.var
local exec = ngx.exec
local http_version = ngx.req.http_version

local _M = {}

local AGAIN = "@again"

-- A body without a length is read where nginx counts it (templates/partials/server.conf.hbs); then the phases restart.
local function read_counting(limit)
    if var.albc_next == AGAIN then
        return
    end
    var.albc_next = AGAIN
    return exec("@read_" .. limit)
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
        if not var.http_transfer_encoding and http_version() < 2 then
            return ""
        end
        read_counting(limit)
    end
    local text = body.read() or ""
    if #text > limit then
        return nil, errors.reasons.body_too_large
    end
    return text
end

return _M

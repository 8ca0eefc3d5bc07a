--- The client's body for an auth service, kept for the backend too.
-- May yield: yes. Phases: rewrite.
local errors = require("alb.errors")

local ngx = ngx
local var = ngx.var
local exec = ngx.exec
local http_version = ngx.req.http_version
local read_body = ngx.req.read_body
local tonumber = tonumber

local _M = {}

local AGAIN = "@again"

-- A body without a length is read where nginx counts (templates/partials/server.conf.hbs); then all begins again.
local function read_counting(limit)
    if var.albc_next == AGAIN then
        return
    end
    var.albc_next = AGAIN
    return exec("@read_" .. limit)
end

local function from_file()
    local path = ngx.req.get_body_file()
    local file = path and io.open(path, "rb")
    local text = file and file:read("*a")
    if file then
        file:close()
    end
    return text or ""
end

--- The body, "" when none is wanted.
---@param limit integer bytes; 0: none is wanted
---@return string? body nil: it is longer
---@return string? reason
function _M.read(limit)
    if limit == 0 then
        return ""
    end
    local length = tonumber(var.http_content_length)
    if length and length > limit then
        return nil, errors.reasons.body_too_large
    end
    if not length then
        if not var.http_transfer_encoding and http_version() < 2 then
            return ""
        end
        read_counting(limit)
    end
    read_body()
    local body = ngx.req.get_body_data() or from_file()
    if #body > limit then
        return nil, errors.reasons.body_too_large
    end
    return body
end

return _M

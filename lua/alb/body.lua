--- The body of the client's request.
-- May yield: read does. Phases: length any with a request; read in rewrite and content.
local ngx = ngx
local var = ngx.var
local tonumber = tonumber

local _M = {}

--- What the client says of its length, in bytes; nil: nothing.
-- Not $http_content_length, which a header `Content_Length` would be a part of.
---@return integer?
function _M.length()
    return tonumber(var.content_length)
end

local function from_file()
    local path = ngx.req.get_body_file()
    local file = path and io.open(path, "rb")
    if not file then
        return nil
    end
    local text = file:read("*a")
    file:close()
    return text
end

--- All of it, in memory.
---@return string? body nil: there is none, or it can't be read
function _M.read()
    ngx.req.read_body()
    return ngx.req.get_body_data() or from_file()
end

return _M

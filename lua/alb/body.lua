--- The body of the client's request.
-- May yield: read and hold do. Phases: length any with a request; read and hold in access and content.
local ffi_str = require("ffi").string

local ngx = ngx
local var = ngx.var
local tonumber = tonumber

local _M = {}

-- A longer one can't be held for all of a client's requests at once.
local SHORT = 16384

local read_length = require("alb.nginx_variable").reader("content_length")

--- Waits for a short body, so that a client that sends slowly, or never, holds no connection to a backend.
---@return boolean held the policy may be another by now
function _M.hold()
    local text, size = read_length()
    if not text or (tonumber(ffi_str(text, size)) or 0) > SHORT then
        return false
    end
    ngx.req.read_body()
    return true
end

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

--- The body of the client's request.
-- May yield: read and hold. Phases: length and lacks_length in any with a request; size once it is read; read and hold
-- in access and content.
local ffi_str = require("ffi").string

local ngx = ngx
local var = ngx.var
local http_version = ngx.req.http_version
local tonumber = tonumber

local _M = {
    --- Bytes of the longest body that is held (src/model/held-bodies.ts): nginx takes as much memory for an upload to a
    --- slow backend, and would put more into a file.
    MOST_HELD = 131072,
}

-- Bytes; longer bodies of all of a client's concurrent requests would take too much memory.
local SHORT = 16384

local read_length = require("alb.nginx_variable").reader("content_length")

--- Waits for a short body, so that a client that sends slowly or never occupies no connection to a backend.
---@param most integer? bytes, at most MOST_HELD
---@return boolean held if true, the policy may have changed meanwhile
function _M.hold(most)
    local text, size = read_length()
    if not text or (tonumber(ffi_str(text, size)) or 0) > (most or SHORT) then
        return false
    end
    ngx.req.read_body()
    return true
end

--- The declared length in bytes; nil if the client declares none.
-- $http_content_length would also include a header `Content_Length`.
---@return integer?
function _M.length()
    return tonumber(var.content_length)
end

--- Whether there may be a body without a declared length: by HTTP/1.1 in chunks, by HTTP/2 always.
---@return boolean
function _M.lacks_length()
    return not _M.length() and (var.http_transfer_encoding ~= nil or http_version() >= 2)
end

local function open_file()
    local path = ngx.req.get_body_file()
    return path and io.open(path, "rb")
end

--- Bytes of the body that nginx has read; infinite if it can't be known.
---@return number
function _M.size()
    if not ngx.req.get_body_file() then
        return #(ngx.req.get_body_data() or "")
    end
    local file = open_file()
    local size = file and file:seek("end")
    if file then
        file:close()
    end
    return size or math.huge
end

local function from_file()
    local file = open_file()
    if not file then
        return nil
    end
    local text = file:read("*a")
    file:close()
    return text
end

--- Reads the whole body into memory.
---@return string? body nil if there is none, or it can't be read
function _M.read()
    ngx.req.read_body()
    return ngx.req.get_body_data() or from_file()
end

return _M

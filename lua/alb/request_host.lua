--- The host that the client requests, in the form of a Host header.
-- May yield: no. Phases: any with a request.
local ngx = ngx
local var = ngx.var
local str_find = string.find

local _M = {}

--- From the request target or the Host header. HTTP/1.0 requires neither: then the address that received the request.
---@return string host without port
function _M.get()
    local host = var.host
    if host and host ~= "" then
        return host
    end
    local address = var.server_addr
    return str_find(address, ":", 1, true) and "[" .. address .. "]" or address
end

return _M

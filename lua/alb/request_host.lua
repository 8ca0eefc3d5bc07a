--- The host that the client asks for, as a Host header names it.
-- May yield: no. Phases: any with a request.
local ngx = ngx
local var = ngx.var
local str_find = string.find

local _M = {}

--- Of the target or the Host header; HTTP/1.0 needs to name none: then the address that was asked.
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

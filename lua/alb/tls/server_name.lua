--- The name that the client asked for when it connected (RFC 6066, 3), as hosts are compared.
-- May yield: no. Pure.
local str_byte = string.byte
local str_lower = string.lower
local str_sub = string.sub

local _M = {}

local DOT = 46

--- Lower case, without trailing dot; "" when the client sent none.
---@param name string?
---@return string
function _M.normalise(name)
    if not name or name == "" then
        return ""
    end
    if str_byte(name, -1) == DOT then
        name = str_sub(name, 1, -2)
    end
    return str_lower(name)
end

return _M

--- Host keys of the policy: "" (any host), "a.example", "*.example" (one label), "**.example" (any depth ≥ 1).
-- May yield: no. Pure.
local str_find = string.find
local str_sub = string.sub

local _M = {}

-- A name has at most 127 labels; more are not looked at, so a crafted Host can't cost much.
local MAX_LABELS = 127

--- Every key that matches the host, the most specific first.
---@param host string lower case, without port and trailing dot
---@return string[]
function _M.matching(host)
    local keys, n = { host }, 1
    local dot = str_find(host, ".", 1, true)
    if dot == 1 then
        -- What an asterisk stands for is not empty.
        dot = str_find(host, ".", 2, true)
    elseif dot then
        n = n + 1
        keys[n] = "*" .. str_sub(host, dot)
    end
    for _ = 1, MAX_LABELS do
        if not dot then
            break
        end
        n = n + 1
        keys[n] = "**" .. str_sub(host, dot)
        dot = str_find(host, ".", dot + 1, true)
    end
    keys[n + 1] = ""
    return keys
end

--- Does one key match the host?
function _M.covers(key, host)
    if key == "" or key == host then
        return true
    end
    if str_sub(key, 1, 2) == "**" then
        local tail = str_sub(key, 3)
        return #host > #tail and str_sub(host, -#tail) == tail
    end
    if str_sub(key, 1, 1) == "*" then
        local dot = str_find(host, ".", 1, true)
        return dot ~= nil and dot > 1 and str_sub(host, dot) == str_sub(key, 2)
    end
    return false
end

return _M

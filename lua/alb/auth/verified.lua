--- Credentials that a worker has verified, by keyed digest: passwords can't be derived from what is remembered.
-- Limited in number (two generations of MAX) and in age (LIFETIME since the check).
-- May yield: no. Phases: any.
local now = ngx.now

local _M = {}

local MAX = 10000
-- Seconds.
local LIFETIME = 300

local young, old, count = {}, {}, 0

local function remember(key, expires)
    if count >= MAX then
        young, old, count = {}, young, 0
    end
    if young[key] == nil then
        count = count + 1
    end
    young[key] = expires
end

--- When the digest expires (seconds as ngx.now); nil if it is unknown.
---@param key string
---@return number?
function _M.expires(key)
    local expires = young[key]
    if expires then
        return expires
    end
    expires = old[key]
    if expires then
        remember(key, expires)
    end
    return expires
end

--- Remembers a digest whose credentials were verified just now.
function _M.add(key)
    remember(key, now() + LIFETIME)
end

return _M

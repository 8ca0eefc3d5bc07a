--- Credentials that a worker has found right, by keyed digest: what is remembered is no password, nor a way to one.
-- Bounded in number (two generations of MAX) and in age (LIFETIME since they were checked).
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

--- When what is known of the digest ends (seconds as ngx.now); nil when nothing is.
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

--- Remembers a digest whose credentials were right just now.
function _M.add(key)
    remember(key, now() + LIFETIME)
end

return _M

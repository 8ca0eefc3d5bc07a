--- Limits how many requests a client sends (limit-rps, limit-rpm), counted in shared memory for all workers.
--
-- As nginx's limit_req with `burst` and `nodelay`: of each client the moment is kept when its bucket is full again
-- (generic cell rate algorithm). What a namespace keeps is bounded: its further clients are not limited, and a full
-- memory takes nothing from others.
-- May yield: no. Phases: prepare in any but init; request in access.
local errors = require("alb.errors")
local source_range = require("alb.auth.source_range")

local ngx = ngx
local var = ngx.var
local floor = math.floor
local ipairs = ipairs
local max = math.max
local now = ngx.now
local shared = ngx.shared.albc_limits
local str_match = string.match

local _M = { field = "limits" }

-- Most buckets are full again within seconds, those of minutes within ten minutes, or are forgotten then.
local SHORT, LONG = 10, 600
-- Clients of a namespace for which a bucket is begun in such a time.
local MOST = 8192
-- A worker that holds a lock does nothing else, so it is short; one that has crashed holds it for so many seconds.
local LOCKED, PATIENCE = 0.05, 10000

---@param holder table
function _M.prepare(holder)
    local limits = holder.limits
    limits.ranges = limits.except and source_range.prepare(limits.except)
    limits.namespace = str_match(limits.of, "^[^/]*")
    for _, rate in ipairs(limits.rates) do
        rate.step = rate.seconds / rate.requests
        rate.depth = rate.burst * rate.step
        rate.life = rate.depth + rate.step < SHORT and SHORT or LONG
        rate.key = limits.of .. " " .. rate.seconds .. " "
    end
end

-- Whether the namespace may begin another bucket.
local function has_room(namespace, life, time)
    local key = "n " .. namespace .. " " .. life .. " " .. floor(time / life)
    local count = shared:incr(key, 1, 0, 2 * life)
    return count ~= nil and count <= MOST
end

local function lock(key)
    for _ = 1, PATIENCE do
        local ok, err = shared:safe_add(key, true, LOCKED)
        if ok or err ~= "exists" then
            return
        end
    end
end

local function is_allowed(rates, client, time)
    for i = 1, #rates do
        local full = shared:get(rates[i].key .. client)
        if full and full - time > rates[i].depth then
            return false
        end
    end
    return true
end

local function charge(limits, client, time)
    local rates = limits.rates
    for i = 1, #rates do
        local rate = rates[i]
        local key = rate.key .. client
        local full = shared:get(key)
        if full or has_room(limits.namespace, rate.life, time) then
            shared:safe_set(key, max(full or 0, time) + rate.step, rate.life)
        end
    end
end

---@param holder table prepared
function _M.request(holder)
    local limits = holder.limits
    if limits.ranges and source_range.contains(limits.ranges, source_range.client()) then
        return
    end
    local client, time = var.albc_client, now()
    local held = "l " .. limits.of .. " " .. client
    lock(held)
    local allowed = is_allowed(limits.rates, client, time)
    if allowed then
        charge(limits, client, time)
    end
    shared:delete(held)
    if not allowed then
        return errors.exit(503, errors.reasons.too_fast)
    end
end

return _M

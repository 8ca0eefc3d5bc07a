--- Limits how many logins a worker computes. Each costs 0.1 ms or more, so a flood could hold a core.
--
-- The limits are buckets that refill evenly. Three count wrong logins: one for each client of a realm, each realm (a
-- set of credentials), and for the worker. A flood empties its own bucket first: other realms keep all of theirs. A
-- quarter of a realm's is kept for clients that have not failed just now. Half of the worker's is kept for realms where
-- none has, and half of that for namespaces where none has. So many floods, and one at many realms of a namespace,
-- leave room for others.
--
-- One for each namespace counts right logins, too: a tenant can log in as thousands of users of its own.
-- May yield: no. Phases: any.
local now = ngx.now
local max = math.max

local _M = {}

-- Attempts a second, and as many at once after a pause.
local CLIENT_RATE, CLIENT_BURST = 50, 50
local REALM_RATE, REALM_BURST = 150, 100
-- A tenth of a processor.
local WORKER_RATE, WORKER_BURST = 1000, 400
-- A fifth.
local NAMESPACE_RATE, NAMESPACE_BURST = 2000, 2000
-- The part that clients and realms with recent failures may use.
local REALM_REST, WORKER_REST = REALM_BURST * 3 / 4, WORKER_BURST / 2
local NAMESPACE_REST = WORKER_BURST * 3 / 4
-- Seconds after which the bucket of a client or realm is full again, whatever it did.
local FORGET = CLIENT_BURST / CLIENT_RATE

-- A bucket is the moment when it would be full (generic cell rate algorithm); clients and realms by their keys.
local worker_full = 0
local young, old, rotated = {}, {}, 0

local function has_room(full, rate, burst)
    return (full - now()) * rate < burst - 0.5
end

local function forget()
    local time = now()
    if time < rotated then
        -- The clock was set back: without this, logins would fail until it reaches its previous time.
        young, old, rotated, worker_full = {}, {}, time, 0
    elseif time - rotated > FORGET then
        old = time - rotated > 2 * FORGET and {} or young
        young, rotated = {}, time
    end
end

local function full_of(key)
    return young[key] or old[key] or 0
end

-- To be called after `forget`.
local function charge(key, cost, rate)
    young[key] = max(full_of(key), now()) + cost / rate
end

-- What of the worker's bucket a realm may use.
local function part_of(of_realm, namespace)
    if of_realm then
        return WORKER_REST
    end
    return (young[namespace] or old[namespace]) and NAMESPACE_REST or WORKER_BURST
end

-- The key of a namespace's bucket; its own name says that logins have failed there.
local function all_of(namespace)
    return "all " .. namespace
end

--- May another login of the namespace be computed?
---@param namespace string of the route
function _M.affords(namespace)
    forget()
    return has_room(full_of(all_of(namespace)), NAMESPACE_RATE, NAMESPACE_BURST)
end

--- Counts a login that was computed.
---@param namespace string of the route
---@param cost number 1 for a password of usual length
function _M.computed(namespace, cost)
    forget()
    charge(all_of(namespace), cost, NAMESPACE_RATE)
end

--- May an attempt of this client be computed, which may fail?
---@param realm string names the credential set
---@param client string names client and credential set
---@param namespace string of the route
function _M.allowed(realm, client, namespace)
    forget()
    local of_realm, of_client = young[realm] or old[realm], young[client] or old[client]
    return has_room(of_client or 0, CLIENT_RATE, CLIENT_BURST)
        and has_room(of_realm or 0, REALM_RATE, of_client and REALM_REST or REALM_BURST)
        and has_room(worker_full, WORKER_RATE, part_of(of_realm, namespace))
end

--- Counts an attempt that failed.
---@param cost number 1 for a password of usual length
---@param namespace string
function _M.failed(realm, client, cost, namespace)
    forget()
    local time = now()
    young[namespace] = time
    charge(realm, cost, REALM_RATE)
    charge(client, cost, CLIENT_RATE)
    worker_full = max(worker_full, time) + cost / WORKER_RATE
end

return _M

--- How many failed logins a worker computes. A wrong password costs about 0.1 ms, so a flood of them could hold a core.
--
-- Two buckets that refill evenly: one for each client and credential set, one for the worker. A flood empties its own
-- bucket first. The last quarter of the worker's is kept for those that have not failed just now, so that many floods
-- leave room for the others too. Only failures are counted: users who log in, however many, are never held up by it.
-- May yield: no. Phases: any.
local now = ngx.now
local max = math.max

local _M = {}

-- Attempts a second, and as many at once after a pause.
local CLIENT_RATE, CLIENT_BURST = 50, 50
local WORKER_RATE, WORKER_BURST = 150, 100
local RESERVE = WORKER_BURST / 4
-- Seconds after which a client's bucket is full again, whatever it did.
local FORGET = CLIENT_BURST / CLIENT_RATE

-- A bucket is the moment when it would be full (generic cell rate algorithm).
local worker_full = 0
local young, old, rotated = {}, {}, 0

local function has_room(full, rate, burst)
    return (full - now()) * rate < burst - 0.5
end

local function full_at(client)
    local time = now()
    if time < rotated then
        -- The clock was set back: else nobody could log in until it is where it was.
        young, old, rotated, worker_full = {}, {}, time, 0
    elseif time - rotated > FORGET then
        old = time - rotated > 2 * FORGET and {} or young
        young, rotated = {}, time
    end
    return young[client] or old[client]
end

--- May this client's attempt be computed?
---@param client string names client and credential set
function _M.allowed(client)
    local full = full_at(client)
    if not full then
        return has_room(worker_full, WORKER_RATE, WORKER_BURST)
    end
    return has_room(full, CLIENT_RATE, CLIENT_BURST)
        and has_room(worker_full, WORKER_RATE, WORKER_BURST - RESERVE)
end

--- Counts an attempt that failed.
---@param cost number 1 for a password of usual length
function _M.failed(client, cost)
    local time = now()
    young[client] = max(full_at(client) or 0, time) + cost / CLIENT_RATE
    worker_full = max(worker_full, time) + cost / WORKER_RATE
end

return _M

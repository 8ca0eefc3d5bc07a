--- Connects to endpoints that are out (outages.lua), so that no request of a client has to try them.
--
-- Every worker looks for probes that are due, and claims each in the shared dictionary, so one worker does it. A worker
-- starts a limited number in a second; namespaces take turns, so many outages of one don't delay another's.
-- May yield: probe does. Phases: timer.
local outages = require("alb.upstream.outages")
local shared = require("alb.upstream.shared_outages")

local ngx = ngx
local now = ngx.now
local math_random = math.random
local next, pairs = next, pairs
local str_match = string.match
local tcp = ngx.socket.tcp
local timer_at = ngx.timer.at
local tonumber = tonumber

local _M = {}

-- Seconds between two looks, and probes that a worker starts at one. nginx runs at most 256 timers of a worker at once.
local INTERVAL, MOST = 0.1, 10
-- Seconds that a probe may take; probes of an endpoint are not closer than that.
local LIMIT = 1

local next_look = 0

local function probe(premature, id, endpoint)
    if premature then
        return
    end
    local began, sock = now(), tcp()
    local address, port = str_match(endpoint, "^(.*):(%d+)$")
    sock:settimeout(LIMIT * 1000)
    -- A pool name of its own keeps other connections out.
    local ok = sock:connect(address, tonumber(port), { pool = "albc probe" })
    sock:close()
    outages.probed(id, endpoint, began, ok ~= nil)
end

-- At random, so that none of too many waits for ever.
local function take_any(list)
    local i, last = math_random(#list), #list
    local found = list[i]
    list[i] = list[last]
    list[last] = nil
    return found[1], found[2]
end

-- Whether a probe was started.
local function start(id, endpoint)
    -- The claim ends a little before the next probe may be due.
    return shared.claim_probe(id, endpoint, 0.9 * LIMIT) and timer_at(0, probe, id, endpoint)
end

local function start_due(due)
    local left = MOST
    while left > 0 and next(due) do
        for namespace, list in pairs(due) do
            if #list == 0 then
                due[namespace] = nil
            elseif left > 0 and start(take_any(list)) then
                left = left - 1
            end
        end
    end
end

--- Called by the worker's timer: starts the probes that are due.
function _M.run()
    local time = now()
    if time >= next_look then
        next_look = time + INTERVAL
        start_due(outages.due())
    end
end

return _M

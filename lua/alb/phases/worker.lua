--- Keeps a worker at the newest commit of the policy and reports which one it serves. Limits the number of draining
-- workers.
-- May yield: no. Phases: init (mark_generation), init_worker, timer.
local counters = require("alb.counters")
local ffi = require("ffi")
local garbage = require("alb.garbage")
local index = require("alb.policy.index")
local outages = require("alb.upstream.outages")
local probes = require("alb.upstream.probes")
local request_id = require("alb.request_id")
local rows = require("alb.rows")
local stalls = require("alb.upstream.stalls")
local watch = require("alb.upstream.watch")

local ngx = ngx
local state = ngx.shared.albc_state
local floor, sort = math.floor, table.sort
local tonumber = tonumber

ffi.cdef("int kill(int pid, int signal);")
local SIGTERM = 15

local _M = {}

-- Generations of old workers that may drain at once. Each reload leaves one, and their memory must be bounded. albc
-- spaces its reloads so that they rarely reach it (src/controller/reload-shares.ts).
_M.MOST_DRAINING = 5
-- Key in the shared state: pids and generations of workers that drain or have ended since, oldest first.
local DRAINING = "draining"

-- Seconds between two polls of the commit number: a change is live on every worker within this time.
local INTERVAL = 0.02

-- Seconds between two polls while a policy is expected, and how often a worker polls so: most changes are compiled in
-- the 0.2 seconds that this takes.
local SHORT_INTERVAL, MOST_SHORT = 0.002, 100
-- Key in the shared state: how often a policy was announced.
local EXPECTED = "expected"
-- The same, as this worker knows it, the short polls that are left, and whether a timer does them.
local expected, short_polls, is_following = 0, 0, false

-- Polls between two flushes of the counters and adjustments of the garbage collector.
local POLLS = 10
local polls = 0

-- The last reported commit. Requests may move this worker to a newer one between two polls.
local reported = -1

-- Number of the start or reload of nginx that loaded this Lua code; workers inherit it from the master. It also grows
-- from one master to the next, so a wait for a reload ends even if nginx was killed and started again.
local generation = 0

-- During a reload workers of two generations run, and the older may not know yet that it is being replaced.
local function is_replaced(line)
    local theirs = line and tonumber(line:match("^%d+ (%d+) "))
    return theirs ~= nil and theirs > generation
end

--- Publishes the version that this worker serves. A draining worker has been replaced and reports nothing.
function _M.report()
    reported = index.seq()
    local id = ngx.worker.id()
    if not id or ngx.worker.exiting() then
        return
    end
    local key = "worker\t" .. id
    local line = ngx.worker.pid() .. " " .. generation .. " " .. index.version()
    local current = state:get(key)
    if current ~= line and not is_replaced(current) then
        state:set(key, line)
    end
end

--- Moves to the newest commit and reports it.
function _M.sync()
    index.sync()
    if index.seq() ~= reported then
        outages.prune()
        _M.report()
    end
end

--- Makes every worker look often for the next policy, for a while.
function _M.expect()
    state:incr(EXPECTED, 1, 0)
end

local function follow(premature)
    is_following = false
    if premature or short_polls == 0 then
        return
    end
    short_polls = short_polls - 1
    local seq = index.seq()
    _M.sync()
    if index.seq() ~= seq then
        short_polls = 0
    else
        -- Without a timer, the next poll finds the policy.
        is_following = ngx.timer.at(SHORT_INTERVAL, follow)
    end
end

-- Announcements may follow each other faster than policies, so a timer that follows already is used on.
local function follow_closely()
    local announced = state:get(EXPECTED) or 0
    if announced == expected then
        return
    end
    expected, short_polls = announced, MOST_SHORT
    if not is_following then
        is_following = ngx.timer.at(0, follow)
    end
end

-- Checks the process title that nginx gives to draining workers, because another process may have got the pid since.
local function is_draining(pid)
    local file = io.open("/proc/" .. pid .. "/cmdline")
    local title = file and file:read("*a") or ""
    if file then
        file:close()
    end
    return title:find("worker process is shutting down", 1, true) ~= nil
end

--- Returns the generations that drain, oldest first, and their workers.
function _M.draining()
    local generations, workers, known = {}, {}, {}
    for _ = 1, state:llen(DRAINING) do
        local entry = state:lpop(DRAINING)
        local pid, of = (entry or ""):match("^(%d+) (%d+)$")
        if pid and is_draining(pid) then
            state:rpush(DRAINING, entry)
            of = tonumber(of)
            workers[#workers + 1] = { pid = tonumber(pid), generation = of }
            if not known[of] then
                known[of] = true
                generations[#generations + 1] = of
            end
        end
    end
    sort(generations)
    return generations, workers
end

--- Called in the master, before the workers start: this start or reload is a new generation. Ends the oldest ones that
-- leave no room for the one that will drain now.
function _M.mark_generation()
    ngx.update_time()
    -- Milliseconds, so that a master that starts immediately afterwards gets a larger number.
    generation = state:incr("generation", 1, floor(ngx.now() * 1000))
    local generations, workers = _M.draining()
    local newest_ended = generations[#generations - _M.MOST_DRAINING + 1] or 0
    for _, worker in ipairs(workers) do
        if worker.generation <= newest_ended then
            ffi.C.kill(worker.pid, SIGTERM)
        end
    end
end

-- Called when this worker begins to drain.
local function leave()
    counters.leave()
    state:rpush(DRAINING, ngx.worker.pid() .. " " .. generation)
end

-- Reports each time, because a worker of the previous generation may have overwritten the report.
local function tick(premature)
    if premature then
        return leave()
    end
    _M.sync()
    _M.report()
    follow_closely()
    watch.sweep()
    outages.sync()
    probes.run()
    stalls.scan()
    polls = polls + 1
    if polls >= POLLS then
        polls = 0
        counters.flush()
        garbage.adjust()
    end
end

--- Called by init_worker_by_lua.
function _M.init()
    request_id.start()
    math.randomseed(ngx.now() * 1000 + ngx.worker.pid())
    rows.attach()
    index.sync()
    outages.sync()
    _M.report()
    local ok, err = ngx.timer.every(INTERVAL, tick)
    if not ok then
        ngx.log(ngx.EMERG, "albc: the policy can't be kept up to date: ", err)
    end
end

return _M

--- Keeps a worker at the newest commit of the policy, and says which one it serves. Limits how many old workers drain.
-- May yield: no. Phases: init (mark_generation), init_worker, timer.
local counters = require("alb.counters")
local ffi = require("ffi")
local garbage = require("alb.garbage")
local index = require("alb.policy.index")
local request_id = require("alb.request_id")
local watch = require("alb.upstream.watch")

local ngx = ngx
local state = ngx.shared.albc_state
local floor = math.floor
local tonumber = tonumber

ffi.cdef("int kill(int pid, int signal);")
local SIGTERM = 15

local _M = {}

-- Sets of old workers that may drain at once. Each reload leaves one, and memory has to end somewhere.
local MOST_DRAINING = 24
-- Pids of workers that drain or have ended since, oldest first.
local DRAINING = "draining"

-- Seconds between two looks at the commit number: a change is live on every worker within this time.
local INTERVAL = 0.02

-- Looks between which the counters are not added up, nor the memory is looked at.
local LOOKS = 10
local looks = 0

-- Commit that was reported last. A request may have moved this worker on between two looks.
local reported = -1

-- Which start or reload of nginx this Lua code belongs to; workers inherit it from the master. It grows from one master
-- to the next, too: who waits for a reload must not wait for ever because nginx was killed and started anew.
local generation = 0

--- Called in the master: this start or reload is a new generation of workers.
function _M.mark_generation()
    ngx.update_time()
    -- In milliseconds, so that a master that comes at once is a later one, too.
    generation = state:incr("generation", 1, floor(ngx.now() * 1000))
end

-- During a reload the workers of two generations stand side by side, and the older may not know yet that it is leaving.
local function is_replaced(line)
    local theirs = line and tonumber(line:match("^%d+ (%d+) "))
    return theirs ~= nil and theirs > generation
end

--- Tells the others which version this worker serves. A worker that is draining has been replaced and says nothing.
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

--- Catches up with the newest commit, at once, and says so.
function _M.sync()
    index.sync()
    if index.seq() ~= reported then
        _M.report()
    end
end

-- False for a pid that another process has got since: nginx gives workers that drain a title.
local function is_draining(pid)
    local file = io.open("/proc/" .. pid .. "/cmdline")
    local title = file and file:read("*a") or ""
    if file then
        file:close()
    end
    return title:find("worker process is shutting down", 1, true) ~= nil
end

-- One worker of each set ends the oldest ones that are too many.
local function leave()
    counters.leave()
    state:rpush(DRAINING, ngx.worker.pid())
    if ngx.worker.id() ~= 0 then
        return
    end
    local found = {}
    for _ = 1, state:llen(DRAINING) do
        local pid = state:lpop(DRAINING)
        if pid and is_draining(pid) then
            found[#found + 1] = pid
            state:rpush(DRAINING, pid)
        end
    end
    for i = 1, #found - MOST_DRAINING * ngx.worker.count() do
        ffi.C.kill(found[i], SIGTERM)
    end
end

-- Says it each time: a worker of the last generation may have spoken over this one.
local function tick(premature)
    if premature then
        return leave()
    end
    _M.sync()
    _M.report()
    watch.sweep()
    looks = looks + 1
    if looks >= LOOKS then
        looks = 0
        counters.flush()
        garbage.adjust()
    end
end

--- Called by init_worker_by_lua.
function _M.init()
    request_id.start()
    math.randomseed(ngx.now() * 1000 + ngx.worker.pid())
    index.sync()
    _M.report()
    local ok, err = ngx.timer.every(INTERVAL, tick)
    if not ok then
        ngx.log(ngx.EMERG, "albc: the policy can't be kept up to date: ", err)
    end
end

return _M

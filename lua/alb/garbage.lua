--- Sets how much garbage a worker may hold before LuaJIT collects it.
--
-- LuaJIT waits until the memory in use has grown by a share of itself. With few routes that is a megabyte or two, which
-- would be collected every few hundred requests. So a worker may always hold ALLOWANCE of garbage, however little
-- memory it uses.
-- May yield: the function given to without_collection. Phases: any.
local collectgarbage = collectgarbage
local error = error
local now = ngx.now
local pcall = pcall

local _M = {}

-- Kilobytes.
local ALLOWANCE = 16 * 1024
-- Percent of the memory in use at which the next collection begins, and the maximum. LuaJIT's default of 200 costs no
-- less time, but with 10,000 routes 12 MiB more.
local USUAL = 120
local MOST = 1000

-- Seconds after which the function that stopped the collection must have been ended before it could restart it.
local LONGEST_STOP = 10
local stopped_at

local function restart()
    stopped_at = nil
    collectgarbage("restart")
end

--- Calls a function that creates tens of thousands of tables and keeps them until it returns; returns its results.
--- Collecting garbage meanwhile frees nothing and can block for tens of milliseconds, because tables that grow while
--- they are marked are marked again in one step.
function _M.without_collection(run, argument)
    stopped_at = now()
    collectgarbage("stop")
    local done, first, second = pcall(run, argument)
    restart()
    if not done then
        error(first, 0)
    end
    return first, second
end

--- Called regularly: the memory in use changes with the policy.
function _M.adjust()
    if stopped_at then
        if now() - stopped_at > LONGEST_STOP then
            restart()
        end
        return
    end
    local pause = 100 + 100 * ALLOWANCE / collectgarbage("count")
    collectgarbage("setpause", pause < USUAL and USUAL or pause > MOST and MOST or pause)
end

return _M

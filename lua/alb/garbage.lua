--- How much garbage a worker may hold before LuaJIT collects it.
--
-- LuaJIT waits until the memory in use has doubled. With few routes that is a megabyte or two, and it would go over all
-- of it every few hundred requests; so a worker may always hold ALLOWANCE of garbage, however little it has in use.
-- May yield: what without_collection calls. Phases: any.
local collectgarbage = collectgarbage
local error = error
local now = ngx.now
local pcall = pcall

local _M = {}

-- Kilobytes.
local ALLOWANCE = 16 * 1024
-- Percent of the memory in use at which the next collection begins: LuaJIT's own, and the most.
local USUAL = 200
local MOST = 1000

-- Seconds after which whoever stopped the collection must have been ended before he could begin it again.
local LONGEST_STOP = 10
local stopped_at

local function restart()
    stopped_at = nil
    collectgarbage("restart")
end

--- Calls a function that makes tens of thousands of tables which all stay until it ends, and gives what that gives. To
-- collect garbage meanwhile is for nothing, and takes tens of milliseconds at once: what grows while it is marked is
-- marked again in one go.
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

--- Called now and then, as what is in use changes with the policy.
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

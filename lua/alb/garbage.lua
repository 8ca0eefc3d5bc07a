--- How much garbage a worker may hold before LuaJIT collects it.
--
-- LuaJIT waits until the memory in use has doubled. With few routes that is a megabyte or two, and it would go over all
-- of it every few hundred requests; so a worker may always hold ALLOWANCE of garbage, however little it has in use.
-- May yield: no. Phases: any.
local collectgarbage = collectgarbage

local _M = {}

-- Kilobytes.
local ALLOWANCE = 16 * 1024
-- Percent of the memory in use at which the next collection begins: LuaJIT's own, and the most.
local USUAL = 200
local MOST = 1000

--- Called now and then, as what is in use changes with the policy.
function _M.adjust()
    local pause = 100 + 100 * ALLOWANCE / collectgarbage("count")
    collectgarbage("setpause", pause < USUAL and USUAL or pause > MOST and MOST or pause)
end

return _M

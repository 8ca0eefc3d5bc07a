--- Which functions of the data plane LuaJIT has compiled, from their first instruction on.
local vmutil = require("jit.util")
local cjson = require("cjson.safe")

local _M = {}

local compiled, starts = {}, {}

local function watch(what, trace, func, _, parent)
    if what == "start" then
        starts[trace] = parent == nil
            and vmutil.funcinfo(func).linedefined .. vmutil.funcinfo(func).source
    elseif what == "stop" and starts[trace] then
        compiled[starts[trace]] = true
    end
end

local watched = {
    access = { "alb.phases.access", "run" },
    balance = { "alb.upstream.balancer", "balance" },
    log = { "alb.request_counts", "finish" },
    ["header filter"] = { "alb.phases.header_filter", "run" },
}

--- Begins to watch in this worker.
function _M.start()
    require("jit").attach(watch, "trace")
    ngx.say("watching")
end

--- Names of those that are compiled.
function _M.tell()
    local names = {}
    for name, place in pairs(watched) do
        local info = vmutil.funcinfo(require(place[1])[place[2]])
        names[#names + 1] = compiled[info.linedefined .. info.source] and name or nil
    end
    table.sort(names)
    ngx.say(cjson.encode(names))
end

return _M

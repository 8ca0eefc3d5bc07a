--- Times and compares the router's regular expressions for tests.
local expression = require("alb.route.expression")
local re_match = ngx.re.match

local _M = {}

--- Tries all patterns on a subject as one request does.
---@return number seconds of processor time, compiling left out
---@return integer matched
---@return integer given_up
function _M.try(patterns, subject)
    local made = {}
    for i = 1, #patterns do
        made[i] = expression.new(patterns[i], false)
        expression.start()
        expression.matches(made[i], "")
    end
    expression.start()
    local matched, given_up, began = 0, 0, os.clock()
    for i = 1, #made do
        local found, err = expression.matches(made[i], subject)
        matched = matched + (found and 1 or 0)
        given_up = given_up + (err and 1 or 0)
    end
    return os.clock() - began, matched, given_up
end

-- The least of some tries: on a busy machine the others measure its caches.
local function seconds(made, subject)
    local least
    for _ = 1, 5 do
        expression.start()
        local began = os.clock()
        expression.matches(made, subject)
        local taken = os.clock() - began
        least = least and math.min(least, taken) or taken
    end
    return least
end

-- Seconds of the work below on the machine that FUEL was chosen on (lua/alb/route/fuel.lua), with nothing beside it.
local USUAL = 0.00007

--- How many times slower this machine is at the moment: what shares its processor can double all times.
---@return number at least 1
function _M.slowness()
    local subject, least = ("a"):rep(8192), nil
    for _ = 1, 20 do
        local began = os.clock()
        for _ = 1, 10 do
            re_match(subject, "(?:a|[a-z])*[0-9]", "j")
        end
        local taken = os.clock() - began
        least = least and math.min(least, taken) or taken
    end
    return math.max(1, least / USUAL)
end

--- Seconds that each pattern takes for the worst subject: as it is, or without case and with groups.
-- On a slower machine they are what they would be on that one.
function _M.costs(patterns, subjects)
    local costs = {}
    for i = 1, #patterns do
        local times = _M.slowness()
        costs[i] = 0
        for j = 1, #subjects do
            for _, other in ipairs({ false, true }) do
                local made = expression.new(patterns[i], other, other)
                costs[i] = math.max(costs[i], seconds(made, subjects[j]) / times)
            end
        end
    end
    return costs
end

local function describe(captures)
    local list = {}
    if not captures then
        return "none"
    end
    for i = 0, #captures do
        list[#list + 1] = tostring(captures[i])
    end
    return table.concat(list, " | ")
end

--- What PCRE matches with a pattern as it is and as the router tries it; nil where one of them gave up.
---@return string? plain
---@return string? bounded
---@return boolean? found by the expression that only tells whether there is a match
function _M.both(pattern, subject)
    local plain, failed = re_match(subject, pattern, "j")
    local bounded, after = expression.match(expression.new(pattern, false, true), subject)
    expression.start()
    local found, err = expression.matches(expression.new(pattern, false), subject)
    if failed or err or not bounded and after then
        return nil
    end
    return describe(plain), describe(bounded), found
end

--- What PCRE says against each pattern as it is, or as the router tries it; "" for nothing.
function _M.problems(patterns)
    local problems = {}
    for i = 1, #patterns do
        local _, _, err = ngx.re.find("", patterns[i], "")
        for _, captures in ipairs({ false, true }) do
            local made = expression.new(patterns[i], false, captures)
            expression.start()
            expression.matches(made, "")
            err = err or made.err
        end
        problems[i] = err or ""
    end
    return problems
end

local function make(patterns)
    local made = {}
    for i = 1, #patterns do
        made[i] = expression.new(patterns[i], false)
    end
    return made
end

-- The turns that a request needs for all of them, and the longest.
local function try_all(made, subject)
    local longest, turns = 0, 0
    repeat
        expression.start()
        local began = os.clock()
        for i = 1, #made do
            expression.matches(made[i], subject)
        end
        longest, turns = math.max(longest, os.clock() - began), turns + 1
    until not expression.is_unfinished()
    return turns, longest
end

--- What the first request for one tenant's patterns takes, and the next after one for those of another.
---@return integer turns of the first
---@return number seconds of its longest turn
---@return integer again turns of the next
function _M.compile(patterns, others, subject)
    local own, foreign = make(patterns), make(others)
    local turns, longest = try_all(own, subject)
    try_all(foreign, subject)
    return turns, longest, (try_all(own, subject))
end

return _M

--- Times the router's regular expressions for tests.
local expression = require("alb.route.expression")

local _M = {}

--- Tries all patterns on a subject as one request does.
---@return number seconds of processor time, compiling left out
---@return integer matched
---@return integer given_up
function _M.try(patterns, subject)
    local made = {}
    for i = 1, #patterns do
        made[i] = expression.new(patterns[i], false)
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

--- What PCRE says against each pattern, "" for nothing.
function _M.problems(patterns)
    local problems = {}
    for i = 1, #patterns do
        local _, _, err = ngx.re.find("", patterns[i], "")
        problems[i] = err or ""
    end
    return problems
end

return _M

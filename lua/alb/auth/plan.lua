--- What access.lua checks for a route, worked out once.
-- May yield: no. Phases: any but init.
local methods = require("alb.auth.methods")
local source_range = require("alb.auth.source_range")

local _M = {}

local function prepare_ranges(plan, route)
    local err
    if route.allow and #route.allow > 0 then
        plan.allow, err = source_range.prepare(route.allow)
    end
    if not err and route.deny and #route.deny > 0 then
        plan.deny, err = source_range.prepare(route.deny)
    end
    if err then
        plan.invalid, plan.invalid_at = "source range " .. err, 0
    end
end

local function add_steps(plan, auth, position, limit)
    for i = 1, #methods do
        local method = methods[i]
        local settings = auth[method.field]
        if settings then
            local step = {
                settings = settings,
                position = position,
                limit = limit,
                check = method.check,
                strip = method.strip,
                apply = method.apply,
                user = method.user,
            }
            plan.steps[#plan.steps + 1] = step
            if step.strip then
                plan.strips[#plan.strips + 1] = step
            end
        end
    end
end

-- The checks of a route, in order.
local function make_plan(route)
    local plan = {
        steps = {},
        strips = {},
        any = route.satisfy == "any",
        awaits = route.backend_reads and route,
    }
    prepare_ranges(plan, route)
    local deadlines = route.deadlines
    for i = 1, #route.auths do
        local auth = route.auths[i]
        if auth.invalid and not plan.invalid then
            plan.invalid, plan.invalid_at = auth.invalid, i
        end
        add_steps(plan, auth, i, deadlines and deadlines.request)
    end
    local steps = plan.steps
    local has_ranges = plan.allow ~= nil or plan.deny ~= nil
    plan.has_ranges = has_ranges
    plan.counted = has_ranges or #steps > 0
    -- The usual case.
    local is_only = #steps == 1 and not has_ranges and not plan.invalid
    plan.only = is_only and steps[1] or nil
    return plan
end

--- Made once for each decoded route. Routes that only have one and the same policy share a plan, which stays in the
--- processor's cache when thousands of them are in use.
---@param route table decoded PolicyRoute with `auths`, the prepared policies
function _M.of(route)
    local auth = #route.auths == 1 and route.satisfy ~= "any" and route.auths[1]
    if not auth or route.allow or route.deny or route.deadlines or route.backend_reads then
        route.access = make_plan(route)
    else
        auth.plan = auth.plan or make_plan(route)
        route.access = auth.plan
    end
    return route.access
end

return _M

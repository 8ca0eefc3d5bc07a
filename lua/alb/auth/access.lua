--- Who may pass: source addresses, basic auth, forward auth, and how they combine.
--
-- As nginx's `satisfy`: `all` checks in order and the first refusal ends the request; with `any` the first success
-- lets it pass, and when none comes 401 is answered rather than 403. Errors end it in both. Broken configuration lets
-- nobody pass.
-- May yield: check does. Phases: prepare any but init; check in access.
local basic = require("alb.auth.basic")
local cookies = require("alb.auth.cookies")
local counters = require("alb.counters")
local errors = require("alb.errors")
local external = require("alb.auth.external")
local forward = require("alb.auth.forward")
local source_range = require("alb.auth.source_range")

local ngx = ngx
local var = ngx.var
local clear_header = ngx.req.clear_header
local start_time = ngx.req.start_time
local check_basic = basic.check
local exit = errors.exit
local reasons = errors.reasons
local concat = table.concat

local _M = {}

--- Makes a decoded auth policy ready.
---@param auth table PolicyAuth
function _M.prepare(auth)
    if auth.invalid then
        return
    end
    if auth.basic then
        basic.prepare(auth.basic)
    end
    if auth.forward then
        local ok, err = forward.prepare(auth.forward)
        if not ok then
            auth.invalid = err
        end
    end
end

local function prepare_ranges(plan, route)
    local err
    if route.allow and #route.allow > 0 then
        plan.allow, err = source_range.prepare(route.allow)
    end
    if not err and route.deny and #route.deny > 0 then
        plan.deny, err = source_range.prepare(route.deny)
    end
    if err then
        plan.invalid = "source range " .. err
    end
end

-- What is checked on a route, in order; made once for each decoded route.
local function make_plan(route)
    local plan = { steps = {}, any = route.satisfy == "any", strips = false }
    prepare_ranges(plan, route)
    local steps = plan.steps
    for i = 1, #route.auths do
        local auth = route.auths[i]
        plan.invalid = plan.invalid or auth.invalid
        if auth.basic then
            steps[#steps + 1] = { basic = auth.basic }
            plan.strips = true
        end
        if auth.forward then
            local deadlines = route.deadlines
            steps[#steps + 1] = { forward = auth.forward, limit = deadlines and deadlines.request }
        end
    end
    local has_ranges = plan.allow ~= nil or plan.deny ~= nil
    plan.has_ranges = has_ranges
    plan.counted = has_ranges or #steps > 0
    -- The usual case: basic auth and nothing else.
    plan.only = #steps == 1 and not has_ranges and not plan.invalid and steps[1].basic or nil
    route.access = plan
    return plan
end

local function is_source_allowed(plan)
    local client = source_range.client()
    if plan.deny and source_range.contains(plan.deny, client) then
        return false
    end
    return not plan.allow or source_range.contains(plan.allow, client)
end

-- Challenges are a list (RFC 9110, 11.6.1): the first is a line of its own, so are the others (see lua.conf.hbs).
local function challenge(challenges)
    ngx.header["WWW-Authenticate"] = challenges[1]
    if challenges[2] then
        var.albc_challenges = concat(challenges, ", ", 2)
    end
end

-- Ends the request.
local function refuse(refusal)
    if refusal.cookies then
        cookies.add(refusal.cookies, true)
    end
    if refusal.challenges then
        challenge(refusal.challenges)
    end
    if refusal.location then
        counters.signin()
        return ngx.redirect(refusal.location, 302)
    end
    counters.refused(refusal.reason)
    if refusal.answer and not errors.is_grpc() then
        return external.answer(refusal)
    end
    if refusal.status == 429 then
        ngx.header["Retry-After"] = "1"
    end
    return exit(refusal.status, refusal.reason)
end

local function basic_refusal(step, status, reason)
    return {
        status = status,
        reason = reason,
        challenges = status == 401 and { step.basic.challenge } or nil,
    }
end

-- Returns true or an auth response when the step is passed, else nil and the refusal.
local function run(step)
    if step.forward then
        return forward.check(step.forward, step.limit and start_time() + step.limit / 1000)
    end
    local status, reason = check_basic(step.basic)
    if status then
        return nil, basic_refusal(step, status, reason)
    end
    return true
end

local function strip_credentials()
    -- nginx reads the user from Authorization when first asked: ask before it goes, for the log.
    local _ = var.remote_user
    clear_header("Authorization")
end

-- Takes from the backend's request what only the checks were to see, and adds what they found.
local function finish(plan, results)
    if plan.counted then
        counters.passed()
    end
    if plan.strips then
        strip_credentials()
    end
    local steps = plan.steps
    for i = 1, #steps do
        if steps[i].forward then
            forward.apply(steps[i].forward, results and results[i])
        end
    end
end

local function check_all(plan)
    if plan.has_ranges and not is_source_allowed(plan) then
        counters.refused(reasons.source_refused)
        return exit(403, reasons.source_refused)
    end
    local results = {}
    for i = 1, #plan.steps do
        local result, refusal = run(plan.steps[i])
        if not result then
            return refuse(refusal)
        end
        results[i] = result
    end
    return finish(plan, results)
end

local rank = { [401] = 3, [429] = 2, [403] = 1 }

-- The better of two answers for a client that passed neither check; of two challenges both.
local function prefer(refusal, other)
    if not refusal then
        return other
    end
    if other.location or rank[other.status] > rank[refusal.status] then
        return other
    end
    if other.challenges and refusal.challenges then
        for i = 1, #other.challenges do
            refusal.challenges[#refusal.challenges + 1] = other.challenges[i]
        end
    end
    return refusal
end

local function check_any(plan)
    local refused
    if plan.has_ranges then
        if is_source_allowed(plan) then
            return finish(plan)
        end
        refused = { status = 403, reason = reasons.source_refused }
    end
    for i = 1, #plan.steps do
        local result, refusal = run(plan.steps[i])
        if result then
            return finish(plan, { [i] = result })
        end
        if not rank[refusal.status] then
            return refuse(refusal)
        end
        refused = prefer(refused, refusal)
    end
    if refused then
        return refuse(refused)
    end
    return finish(plan)
end

--- Returns when the request may pass; else ends it.
---@param route table decoded PolicyRoute with `auths`, the prepared policies
function _M.check(route)
    local plan = route.access or make_plan(route)
    local only = plan.only
    if only then
        local status, reason = check_basic(only)
        if status then
            return refuse(basic_refusal(plan.steps[1], status, reason))
        end
        counters.passed()
        return strip_credentials()
    end
    if plan.invalid then
        counters.refused(reasons.auth_invalid)
        return exit(503, errors.fill(reasons.auth_invalid, plan.invalid))
    end
    if plan.any then
        return check_any(plan)
    end
    return check_all(plan)
end

return _M

--- Checks access to a route: source addresses and the auth methods (methods.lua), combined.
--
-- Combined as by nginx's `satisfy`: with `all`, the first refusal ends the request; with `any`, the first success
-- passes it, and if there is none, the answer is 401 rather than 403. Errors end it in both. A broken configuration
-- refuses all requests.
-- May yield: check does. Phases: prepare any but init; check in access.
local cookies = require("alb.auth.cookies")
local choose_early = require("alb.upstream.choice").early
local counters = require("alb.counters")
local errors = require("alb.errors")
local log = require("alb.log")
local lacks_length = require("alb.body").lacks_length
local methods = require("alb.auth.methods")
local plan_of = require("alb.auth.plan").of
local request_body = require("alb.auth.request_body")
local rows = require("alb.rows")
local source_range = require("alb.auth.source_range")

local ngx = ngx
local var = ngx.var
local start_time = ngx.req.start_time
local exit = errors.exit
local reasons = errors.reasons
local concat = table.concat
local str_sub = string.sub

local _M = {}

local known = { source = true, invalid = true }
for i = 1, #methods do
    known[methods[i].field] = true
end

-- A method that this code does not know would check nothing.
local function unknown_field(auth)
    for field in pairs(auth) do
        if not known[field] then
            return "unknown method " .. field
        end
    end
end

--- Makes a decoded auth policy ready. Whatever can't be made ready closes what it is for.
---@param auth table PolicyAuth
function _M.prepare(auth)
    auth.invalid = auth.invalid or unknown_field(auth)
    if auth.invalid then
        return
    end
    for i = 1, #methods do
        local settings = auth[methods[i].field]
        if settings then
            local ok, err = methods[i].prepare(settings)
            if not ok then
                auth.invalid = err or methods[i].field .. " can't be prepared"
            end
        end
    end
end

--- Adds `auth_rows`: the rows in which the checks of each policy are counted, and at 0 those of source ranges. A policy
--- without an object of its own (`auth-…`, shared by objects with equal auth) is counted for the route.
---@param holder table a route or the filters of a backend
function _M.prepare_rows(holder)
    local ids, found = holder.auth or {}, {}
    for i = 1, #ids do
        if str_sub(ids[i], 1, 5) == "auth-" then
            found[i] = rows.of(rows.ROUTE_AUTH, holder.id)
        else
            found[i] = rows.of(rows.AUTH, ids[i])
        end
    end
    if holder.allow or holder.deny then
        found[0] = rows.of(rows.ROUTE_AUTH, holder.id)
    end
    holder.auth_rows = found
end

local function is_source_allowed(plan)
    local client = source_range.client()
    if plan.deny and source_range.contains(plan.deny, client) then
        return false
    end
    return not plan.allow or source_range.contains(plan.allow, client)
end

-- For the access log. `name`: of the outcome, as counted.
local function note(name)
    if log.auth then
        var.albc_auth = name
    end
end

-- For the access log, before `strip`. `result`: of the step's check, which has passed.
local function note_user(step, result)
    if log.user and step.user then
        log.set_user(step.user(result))
    end
end

-- Challenges are a list (RFC 9110, 11.6.1): the first is one line, the others share a second one (see server.conf.hbs).
local function challenge(refusal)
    local challenges = refusal.challenges
    ngx.header["WWW-Authenticate"] = challenges[1]
    if challenges[2] then
        ngx.status = refusal.status
        var.albc_reason, var.albc_challenges = refusal.reason, concat(challenges, ", ", 2)
        return ngx.exec("@challenges")
    end
end

local function refuse(refusal, row)
    if refusal.cookies then
        cookies.add(refusal.cookies, true)
    end
    if refusal.location then
        if refusal.challenges then
            ngx.header["WWW-Authenticate"] = concat(refusal.challenges, ", ")
        end
        counters.signin(row)
        note("signin")
        return ngx.redirect(refusal.location, 302)
    end
    note(counters.refused(refusal.reason, row))
    if refusal.challenges then
        challenge(refusal)
    end
    if refusal.answer and not errors.is_grpc() then
        return refusal.answer(refusal)
    end
    if refusal.status == 429 then
        ngx.header["Retry-After"] = "1"
    end
    return exit(refusal.status, refusal.reason)
end

-- Returns true or a result if the step passes, else nil and the refusal.
local function run(step)
    return step.check(step.settings, step.limit and start_time() + step.limit / 1000)
end

-- For a rule with backends whose own auth reads the body. What begins again, to await it, must be what the client sent,
-- so the backend is chosen before the first change.
local function await_body(route)
    if not lacks_length() then
        return
    end
    local backend = choose_early(route)
    if backend and backend.reads then
        request_body.await()
    end
end

-- Removes the data that only the checks may see from the backend's request, and adds the results of the checks.
local function finish(plan, row, results)
    if plan.awaits then
        await_body(plan.awaits)
    end
    if plan.counted then
        counters.passed(row)
        note("passed")
    end
    local steps = plan.steps
    for i = 1, results and #steps or 0 do
        if results[i] then
            note_user(steps[i], results[i])
        end
    end
    local strips = plan.strips
    for i = 1, #strips do
        strips[i].strip(strips[i].settings)
    end
    for i = 1, #steps do
        if steps[i].apply then
            steps[i].apply(steps[i].settings, results and results[i])
        end
    end
end

local function check_all(plan, auth_rows)
    if plan.has_ranges and not is_source_allowed(plan) then
        note(counters.refused(reasons.source_refused, auth_rows[0]))
        return exit(403, reasons.source_refused)
    end
    local results = {}
    for i = 1, #plan.steps do
        local result, refusal = run(plan.steps[i])
        if not result then
            return refuse(refusal, auth_rows[plan.steps[i].position])
        end
        results[i] = result
    end
    finish(plan, auth_rows[1] or auth_rows[0], results)
    for i = 2, #auth_rows do
        if auth_rows[i] ~= auth_rows[i - 1] then
            counters.passed_too(auth_rows[i])
        end
    end
end

local rank = { [401] = 3, [429] = 2, [403] = 1 }

-- Chooses the answer for a client that failed both checks; two challenges are combined.
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

local function check_any(plan, auth_rows)
    local refused
    local row = auth_rows[0]
    if plan.has_ranges then
        if is_source_allowed(plan) then
            return finish(plan, row)
        end
        refused = { status = 403, reason = reasons.source_refused }
    end
    for i = 1, #plan.steps do
        local result, refusal = run(plan.steps[i])
        row = auth_rows[plan.steps[i].position]
        if result then
            return finish(plan, row, { [i] = result })
        end
        if not rank[refusal.status] then
            return refuse(refusal, row)
        end
        refused = prefer(refused, refusal)
    end
    if refused then
        return refuse(refused, row)
    end
    return finish(plan, row)
end

--- Returns if the request may pass, else ends it.
---@param route table decoded PolicyRoute with `auths`, the prepared policies
function _M.check(route)
    local plan, auth_rows = route.access or plan_of(route), route.auth_rows
    local only = plan.only
    if only then
        local passed, refusal = run(only)
        if not passed then
            return refuse(refusal, auth_rows[1])
        end
        if plan.awaits then
            await_body(plan.awaits)
        end
        counters.passed(auth_rows[1])
        note("passed")
        note_user(only, passed)
        if only.strip then
            -- The filters of a backend, which may check more, come into play only if the backend is not known yet.
            only.strip(only.settings, route.fixed ~= nil)
        end
        if only.apply then
            only.apply(only.settings, passed)
        end
        return
    end
    if plan.invalid then
        note(counters.refused(reasons.auth_invalid, auth_rows[plan.invalid_at]))
        return exit(503, errors.fill(reasons.auth_invalid, plan.invalid))
    end
    if plan.any then
        return check_any(plan, auth_rows)
    end
    return check_all(plan, auth_rows)
end

return _M

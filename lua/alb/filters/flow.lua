--- nginx's rewrite phase, as snippets of Ingresses write it (FlowStep in docs/policy-format.md): conditions, variables,
-- answers and rewrites, in order. A written path may lead to another route.
-- May yield: yes (while expressions are compiled). Phases: prepare in any; run in access.
local errors = require("alb.errors")
local expression = require("alb.route.expression")
local flow_state = require("alb.filters.flow_state")
local growth = require("alb.growth")
local index = require("alb.policy.index")
local path = require("alb.filters.path")
local redirect = require("alb.filters.redirect")
local variables = require("alb.variables")

local ngx = ngx
local var = ngx.var
local capture = expression.capture
local ipairs = ipairs
local join = growth.join
local max = math.max
local reasons = errors.reasons
local set_uri = ngx.req.set_uri
local set_uri_args = ngx.req.set_uri_args
local sleep = ngx.sleep
local str_lower = string.lower
local str_match = string.match
local type = type

-- nginx itself allows ten; each may take the time that the expressions of a request have.
local MOST_SEARCHES = 3
local CAPTURES = 10
-- As often as time may run out while expressions are compiled.
local MOST_PAUSES = 10

-- As nginx's mime.types; others have the default_type.
local TYPES = {
    html = "text/html",
    json = "application/json",
    txt = "text/plain",
    xml = "text/xml",
}

local _M = {}

-- Values are compared as they are; where they are used, they are encoded.
local function value_of(segment, most, slots)
    local name, value = segment[1]
    if type(name) == "number" then
        value = slots[name]
    else
        value = variables.get(name)
    end
    value = value or ""
    if #value > most then
        return nil, growth.TOO_LONG
    end
    return value
end

local function text_of(segments, slots)
    return join(segments, value_of, growth.MOST_HEAD, slots) or errors.exit(414, reasons.grown)
end

local preparers = {
    ["if"] = function(step)
        local test = step[3]
        if test[1] == "regex" or test[1] == "noRegex" then
            test.expression = expression.new(test[2], test[3] == "i", true)
        end
    end,
    redirect = function(step)
        redirect.prepare_redirect(step[2])
    end,
    rewrite = function(step)
        step.target = path.prepare_target(step[2])
    end,
}

local function prepare_steps(steps)
    for _, step in ipairs(steps or {}) do
        local prepare = preparers[step[1]]
        if prepare then
            prepare(step)
        end
    end
end

--- Adds `flows`: whether there is something to run.
---@param route table decoded
function _M.prepare(route)
    prepare_steps(route.hostFlow)
    prepare_steps(route.flow)
    route.flows = route.hostFlow ~= nil or route.flow ~= nil
end

-- Ends the request if the expression can't be evaluated: a condition may keep requests out.
local function match(test, subject, state)
    for _ = 1, MOST_PAUSES do
        local captures, err = capture(test.expression, subject)
        if captures then
            for group = 0, CAPTURES - 1 do
                state.slots[group] = captures[group] or ""
            end
            return true
        elseif type(err) ~= "string" then
            return false
        elseif err == expression.TOO_LONG then
            return errors.exit(400, reasons.too_long)
        elseif not expression.is_unfinished() then
            break
        end
        sleep(0)
        expression.start()
    end
    return errors.exit(500, reasons.invalid_rule)
end

local tests = {
    on = function(_, subject)
        return subject ~= "" and subject ~= "0"
    end,
    eq = function(test, subject, state)
        return subject == text_of(test[2], state.slots)
    end,
    ne = function(test, subject, state)
        return subject ~= text_of(test[2], state.slots)
    end,
    regex = match,
    noRegex = function(test, subject, state)
        return not match(test, subject, state)
    end,
}

local function save(state)
    flow_state.save(state.number, state.slots, state.count)
end

-- Answers with a text, as nginx's `return`.
local function answer_text(status, body, content_type)
    if status >= 400 then
        var.albc_reason = reasons.returned
    end
    ngx.status = status
    local has_body = status ~= 204 and status ~= 304
    if has_body then
        local extension = str_match(var.uri, "%.(%w+)$")
        ngx.header["Content-Type"] = extension and TYPES[str_lower(extension)] or content_type
        ngx.header["Content-Length"] = #body
    end
    ngx.send_headers()
    if has_body and var.request_method ~= "HEAD" then
        ngx.print(body)
    end
    return ngx.exit(ngx.HTTP_OK)
end

-- Each returns what ends the phase: `"last"` or `"break"`.
local actions = {
    set = function(step, state)
        state.slots[step[2]] = text_of(step[3], state.slots)
        state.count = max(state.count, step[2] + 1)
    end,
    ["break"] = function()
        return "break"
    end,
    ["return"] = function(step, state)
        local status, body = step[2], text_of(step[3], state.slots)
        save(state)
        if status == 444 then
            return ngx.exit(444)
        elseif status >= 400 and body == "" then
            return errors.exit(status, reasons.returned)
        end
        return answer_text(status, body, step[4])
    end,
    redirect = function(step, state)
        save(state)
        return redirect.send(step[2], state.route, index.get("servers", state.server), state.slots)
    end,
    rewrite = function(step, state)
        local new, query, err = path.write(step.target, state.slots, var.args or "")
        if err == growth.TOO_LONG then
            return errors.exit(414, reasons.grown)
        elseif not new then
            ngx.log(ngx.ERR, "albc: snippet of route ", state.route.id, ": ", err)
            return errors.exit(500, reasons.internal)
        end
        set_uri(path.decode(new), false, true)
        set_uri_args(query)
        state.written, state.is_moved = path.join(new, query), true
        return step[3]
    end,
}

-- Returns `"break"`, or what else ended the steps.
local function execute(steps, state)
    local at = 1
    while at <= #steps do
        local step = steps[at]
        if step[1] == "if" then
            local test = step[3]
            local holds =
                tests[test[1]](test, value_of(step[2][1], growth.MOST_HEAD, state.slots), state)
            if not holds then
                at = at + step[4]
            elseif step[5] > 0 then
                state.number = step[5]
            end
        else
            local ending = actions[step[1]](step, state)
            if ending == "last" or ending == "break" then
                return ending
            end
        end
        at = at + 1
    end
end

-- Runs the steps of the host, then those of the route, on one route. Returns whether another route is to be looked for.
local function is_moved(route, state, with_host)
    state.route, state.is_moved, state.number = route, false, 0
    var.albc_route = route.id
    if route.responds then
        var.albc_after = "1"
    end
    if with_host and route.hostFlow then
        execute(route.hostFlow, state)
        if state.is_moved then
            return true
        end
    end
    local ending = route.flow and execute(route.flow, state)
    state.is_kept = ending == "break"
    return state.is_moved and not state.is_kept
end

--- Runs the rewrite phase, which may answer the request.
---@param route table prepared, with `flows`
---@param server_id string
---@param find fun(server_id: string): table? the route of the request's path as it is now
---@return table? route the route that serves it
---@return string? written path and query for the backend, unless the route's own rewrite follows; nil: the client's
---@return boolean? is_kept no rewrite of the route follows
function _M.run(route, server_id, find)
    local state = { slots = {}, count = CAPTURES, server = server_id }
    expression.start()
    for search = 0, MOST_SEARCHES do
        if not route or route.refuse or not route.flows then
            return route, state.written
        elseif not is_moved(route, state, search == 0) then
            save(state)
            if state.is_kept then
                return route, state.written or var.request_uri, true
            end
            return route, state.written
        end
        route = find(server_id)
    end
    return errors.exit(500, reasons.rewrite_cycle)
end

return _M

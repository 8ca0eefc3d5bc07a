--- Changes headers step by step, in order (HeaderStep in docs/policy-format.md).
-- A value that can't stand in a header, or that is too long, removes the header: a backend must not take the client's
-- own header for it.
-- May yield: no. Phases: prepare in any; request in access, response in header_filter.
local errors = require("alb.errors")
local flow_state = require("alb.filters.flow_state")
local growth = require("alb.growth")
local headers = require("alb.filters.headers")
local interpolation = require("alb.interpolation")

local ngx = ngx
local var = ngx.var
local add_response = headers.add_response
local clear_request_header = ngx.req.clear_header
local expand = interpolation.expand
local get_request_headers = ngx.req.get_headers
local get_response_headers = ngx.resp.get_headers
local is_protected = headers.is_protected
local MOST_HEAD = growth.MOST_HEAD
local remove_response = headers.remove_response
local set_request_header = ngx.req.set_header
local str_find = string.find
local str_lower = string.lower
local str_sub = string.sub

local _M = {}

local function set_of(list)
    local set
    for _, item in ipairs(list or {}) do
        set = set or {}
        set[item] = true
    end
    return set
end

local function prepare_steps(steps)
    for _, step in ipairs(steps) do
        local names, values, n = {}, {}, 0
        for _, header in ipairs(step.headers) do
            local value, err = interpolation.prepare(header[2])
            if err then
                ngx.log(ngx.ERR, "albc: header ", header[1], ": ", err)
            elseif not is_protected(str_lower(header[1])) then
                n = n + 1
                names[n], values[n] = header[1], value
            end
        end
        step.names, step.values = names, values
        step.of_status, step.of_type = set_of(step.statuses), set_of(step.types)
        step.of_if = set_of(step.ifs)
    end
end

-- Whether a content type, which may have parameters, is one of the step's.
local function is_of_type(step, content_type)
    if not content_type then
        return false
    end
    local last = str_find(content_type, "[; ]")
    return step.of_type[str_lower(last and str_sub(content_type, 1, last - 1) or content_type)]
end

-- What the rewrite phase left: the number of the last condition that held, and captures and variables.
local function state_of(route)
    if route.flows then
        return flow_state.load()
    end
    return 0, nil
end

local function is_of_if(step, number)
    return not step.of_if or step.of_if[number]
end

local function text_of(name, value, room, slots)
    local text, err = expand(value, room, slots)
    if not text then
        ngx.log(ngx.WARN, "albc: header ", name, ": ", err)
        return ""
    end
    return text
end

-- The names of a message that begin as a name before its `*`.
---@param message table by name
local function names_like(message, name)
    local beginning, found = str_lower(str_sub(name, 1, -2)), {}
    for key in pairs(message) do
        local lower = str_lower(key)
        if str_sub(lower, 1, #beginning) == beginning and not is_protected(lower) then
            found[#found + 1] = key
        end
    end
    return found
end

local function is_open(name)
    return str_sub(name, -1) == "*"
end

local function clear_request_headers(present, name)
    local names = names_like(present, name)
    for i = 1, #names do
        if names[i] ~= "host" then
            clear_request_header(names[i])
            present[names[i]] = nil
        end
    end
end

local function change_request(present, name, text)
    local value = text ~= "" and text or nil
    if value then
        set_request_header(name, value)
    else
        clear_request_header(name)
    end
    if present then
        present[str_lower(name)] = value
    end
end

-- Reading all headers costs more than most changes, so the steps share a table, which follows their changes.
---@param present table? the request's headers by name in lower case, if a step has needed them
---@return table? present
local function make_request_change(step, name, text, present)
    local needs_present = step.ifPresent or is_open(name)
    -- 0: no limit on their number.
    present = present or needs_present and get_request_headers(0) or nil
    if is_open(name) then
        clear_request_headers(present, name)
    elseif str_lower(name) == "host" then
        -- The backend's location writes the Host header.
        if text ~= "" then
            var.albc_host = text
        end
    elseif not step.ifPresent or present[str_lower(name)] then
        change_request(present, name, text)
    end
    return present
end

--- The filter for requests.
_M.of_request = { field = "requestSteps" }

function _M.of_request.prepare(route)
    prepare_steps(route.requestSteps)
end

function _M.of_request.request(route)
    local steps, room = route.requestSteps, MOST_HEAD
    local number, slots = state_of(route)
    local present
    for i = 1, #steps do
        local step = steps[i]
        if
            is_of_if(step, number)
            and (not step.of_type or is_of_type(step, var.http_content_type))
        then
            local names, values = step.names, step.values
            for k = 1, #names do
                local text = text_of(names[k], values[k], room, slots)
                room = room - #text
                present = make_request_change(step, names[k], text, present)
            end
        end
    end
end

-- Several names with `*` read the response once, unless a change between them makes a header.
---@param present table? the response's headers by name; may have those that are removed
---@return table? present
local function change_response(step, header, name, text, present)
    if text ~= "" then
        if step.adds then
            add_response(header, name, text)
        else
            header[name] = text
        end
        return nil
    end
    if is_open(name) then
        present = present or get_response_headers(0, true)
        local names = names_like(present, name)
        for i = 1, #names do
            remove_response(header, names[i])
            present[names[i]] = nil
        end
    elseif not step.adds then
        remove_response(header, name)
    end
    return present
end

local function is_for_response(step, header)
    return (not step.of_status or step.of_status[ngx.status])
        and (not step.of_type or is_of_type(step, header["Content-Type"]))
        and (not step.ofBackend or errors.backend_answered())
end

--- The filter for responses.
_M.of_response = { field = "responseSteps" }

function _M.of_response.prepare(route)
    prepare_steps(route.responseSteps)
end

function _M.of_response.response(route)
    local steps, header, room = route.responseSteps, ngx.header, MOST_HEAD
    local number, slots = state_of(route)
    local present
    for i = 1, #steps do
        local step = steps[i]
        if is_of_if(step, number) and is_for_response(step, header) then
            local names, values = step.names, step.values
            for k = 1, #names do
                local text = text_of(names[k], values[k], room, slots)
                room = room - #text
                present = change_response(step, header, names[k], text, present)
            end
        end
    end
end

return _M

--- Conditions of a binding beyond host and path: method, headers, query parameters, cookies, addresses.
-- May yield: no. Phases: access. Values are read from the request once, when they are first needed.
local canonical_host = require("alb.route.host_keys").canonical
local expression = require("alb.route.expression")
local ip = require("alb.ip_address")
local request_host = require("alb.request_host").get

local ngx = ngx
local var = ngx.var
local matches = expression.matches
local get_headers = ngx.req.get_headers
local get_uri_args = ngx.req.get_uri_args
local get_method = ngx.req.get_method
local str_find = string.find
local str_sub = string.sub
local str_match = string.match
local concat = table.concat
local tonumber = tonumber
local rawget = rawget
local type = type

local _M = {}

-- Values of the request being routed; routing never yields, so one set per worker is enough. Thousands of rules may
-- need them.
local headers, args, cookies

--- Called once for each request before the first `hold`, and again after an interruption.
function _M.start()
    headers, args, cookies = nil, nil, nil
    expression.start()
end

local function trim(text)
    -- Two patterns, because a single one would try each end for each run of blanks.
    local from = str_find(text, "[^ \t]")
    return from and str_match(text, ".*[^ \t]", from) or ""
end

local function read_cookies()
    local read, line, pos = {}, var.http_cookie or "", 1
    while pos <= #line do
        local stop = str_find(line, ";", pos, true) or #line + 1
        local pair = str_sub(line, pos, stop - 1)
        local eq = str_find(pair, "=", 1, true)
        local name = eq and trim(str_sub(pair, 1, eq - 1))
        if name and not read[name] then
            read[name] = trim(str_sub(pair, eq + 1))
        end
        pos = stop + 1
    end
    return read
end

-- RFC 6265: names are case-sensitive, the first pair of a name counts.
local function cookie(name)
    cookies = cookies or read_cookies()
    return cookies[name]
end

-- Lines with the same name are one value joined by commas (RFC 9110, 5.3).
local function header(name)
    headers = headers or get_headers(0)
    -- rawget, because the table's own lookup doesn't distinguish `x_a` and `x-a`.
    local value = rawget(headers, name)
    if type(value) == "table" then
        value = concat(value, ",")
        headers[name] = value
    end
    return value
end

-- The first parameter with the name, decoded; one without `=` is empty.
local function query(name)
    args = args or get_uri_args(0)
    local value = args[name]
    if type(value) == "table" then
        value = value[1]
    end
    if value == true then
        return ""
    end
    return value
end

local readers = {
    method = function()
        return get_method()
    end,
    path = function()
        return var.uri
    end,
    host = function()
        return canonical_host(request_host())
    end,
    sourceIp = function()
        return var.remote_addr
    end,
    header = header,
    query = query,
    cookie = cookie,
}

local function in_range(value, low, high)
    local a, from, to = ip.parse(value), ip.parse(low), ip.parse(high)
    if a and from and to then
        return #a == #from and #a == #to and a >= from and a <= to
    end
    local number, low_number, high_number = tonumber(value), tonumber(low), tonumber(high)
    if number and low_number and high_number then
        return number >= low_number and number <= high_number
    end
    return false
end

local function one_label(value, suffix)
    local dot = str_find(value, ".", 1, true)
    return dot ~= nil and dot > 1 and str_sub(value, dot + 1) == suffix
end

local tests = {
    eq = function(value, test)
        return value == test[2]
    end,
    ["in"] = function(value, test)
        return test.set[value] == true
    end,
    start = function(value, test)
        return str_sub(value, 1, #test[2]) == test[2]
    end,
    ["end"] = function(value, test)
        return #value >= #test[2] and str_sub(value, #value - #test[2] + 1) == test[2]
    end,
    oneLabel = function(value, test)
        return one_label(value, test[2])
    end,
    regex = function(value, test)
        return matches(test.expression, value)
    end,
    range = function(value, test)
        return in_range(value, test[2], test[3])
    end,
    cidr = function(value, test)
        return ip.contains(test.cidr, value)
    end,
    exists = function()
        return true
    end,
}

local function prepare_test(test)
    if test[1] == "in" then
        test.set = {}
        for i = 2, #test do
            test.set[test[i]] = true
        end
    elseif test[1] == "cidr" then
        test.cidr = ip.parse_cidr(test[2])
    elseif test[1] == "regex" then
        test.expression = expression.new(test[2], false)
    end
    test.run = tests[test[1]]
end

--- Prepares the decoded predicates of a binding. A test of an unknown kind never holds.
function _M.prepare(when)
    for i = 1, #when do
        local predicate = when[i]
        predicate.read = readers[predicate.of]
        for j = 1, #predicate.any do
            prepare_test(predicate.any[j])
        end
    end
    return when
end

-- Returns whether one test holds; if none does, the error of a test that PCRE could not decide.
local function holds(predicate)
    local value = predicate.read and predicate.read(predicate.key)
    if value == nil then
        return false
    end
    local any, undecided = predicate.any, nil
    for i = 1, #any do
        local test = any[i]
        if test.run then
            local ok, err = test.run(value, test)
            if ok then
                return true
            end
            undecided = undecided or err
        end
    end
    return false, undecided
end

--- Returns whether all conditions hold for the request.
---@return boolean holds
---@return string? undecided if set, it could not be decided, and `holds` is true
function _M.hold(when)
    local undecided
    for i = 1, #when do
        local ok, err = holds(when[i])
        if not ok and not err then
            return false
        end
        undecided = undecided or err
    end
    return true, undecided
end

return _M

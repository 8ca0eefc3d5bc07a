--- External authorization by HTTP as Gateway API has it (GEP-1494, HTTPExternalAuthFilter).
--
-- The request to the service has the client's method and path. 200 lets it pass, and any other answer goes to the
-- client. If the service can't be asked, the request does not pass.
-- May yield: check does. Phases: prepare any but init; check and apply in access.
local client_headers = require("alb.auth.client_headers")
local errors = require("alb.errors")
local ffi = require("ffi")
local growth = require("alb.growth")
local headers = require("alb.headers")
local identity = require("alb.auth.identity")
local interpolation = require("alb.interpolation")
local mark = require("alb.auth.mark")
local request_body = require("alb.auth.request_body")
local service = require("alb.auth.service")
local trace = require("alb.trace")
local turns = require("alb.turns")

local ngx = ngx
local var = ngx.var
local huge = math.huge
local clear_header = ngx.req.clear_header
local set_header = ngx.req.set_header
local expand = interpolation.expand
local ORIGIN = client_headers.ORIGIN
local fold = client_headers.fold
local of_content = headers.content
local of_hop = headers.of_hop
local reasons = errors.reasons
local concat = table.concat
local ffi_str = ffi.string
local pairs = pairs
local setmetatable = setmetatable
local str_byte = string.byte
local str_lower = string.lower
local str_sub = string.sub
local ask = service.ask

local _M = { field = "external" }

-- Bytes of an answer for the client.
local MAX_ANSWER = 1048576
local SLASH = 47

-- Every header of the answer is needed, because the answer may go to the client.
local ALL = setmetatable({}, {
    __index = function()
        return true
    end,
})

-- Headers about the answer itself, its body or its sender: the backend gets them only if they are listed by name.
local own_of_answer =
    { date = true, server = true, ["set-cookie"] = true, allow = true, vary = true }

local function is_own_of_answer(name)
    return own_of_answer[name] or str_sub(name, 1, 8) == "content-"
end

-- Without hop-by-hop headers: they say where messages end, so they must not be passed on.
local function as_set(names)
    local set = {}
    for _, name in ipairs(names or {}) do
        name = fold(str_lower(name))
        if not of_hop[name] then
            set[name] = true
        end
    end
    return set
end

--- Makes the `external` part of a decoded auth policy ready.
---@return true? ok
---@return string? err what is wrong with it
function _M.prepare(external)
    external.sends = as_set(external.headers)
    external.sends.authorization = true
    external.own = {}
    if trace.on then
        for i = 1, #trace.HEADERS do
            external.sends[trace.HEADERS[i][1]] = nil
            external.own[i] = trace.HEADERS[i]
        end
    end
    for i = 1, #ORIGIN do
        local name = str_lower(ORIGIN[i][1])
        if external.sends[name] then
            external.sends[name] = nil
            external.own[#external.own + 1] = ORIGIN[i]
        end
    end
    external.sets = external.responseHeaders and as_set(external.responseHeaders)
    return service.prepare(external)
end

-- The client's target after the prefix. A target that is not a path (`*`, a whole URL) is used as nginx reads it.
local function target_of(external)
    local prefix, err = expand(external.target_text, growth.MOST_TARGET)
    if not prefix then
        return nil, err
    end
    local target = var.request_uri
    if str_byte(target, 1) ~= SLASH then
        local args = var.args
        target = ngx.escape_uri(var.uri, 0) .. (args and "?" .. args or "")
    end
    if not service.is_target(target) then
        return nil, "character in the URL"
    end
    return prefix .. target
end

-- `is_empty`: the request has no body.
local function put_client_headers(lines, sends, is_empty)
    local declared = client_headers.declared()
    local elements, count = client_headers.read()
    for i = 0, count - 1 do
        local key, value = elements[i].key, elements[i].value
        local name = ffi_str(key.data, key.len)
        local folded = fold(name)
        if sends[folded] and not (is_empty and of_content[folded]) and not declared[name] then
            lines[#lines + 1] = name .. ": " .. ffi_str(value.data, value.len)
        end
    end
end

local function put_own_headers(lines, own)
    for i = 1, #own do
        local value = var[own[i][2]]
        if value and value ~= "" then
            lines[#lines + 1] = own[i][1] .. ": " .. value
        end
    end
end

local function build(external, _, body)
    local target, err = target_of(external)
    local turn = turns.of_question(external.questions)
    if not target or not turn then
        return nil, err or turns.SPENT
    end
    local host = var.http_host or var.host
    local lines = {
        var.request_method .. " " .. target .. " HTTP/1.1",
        "Host: " .. host,
        -- It vouches for no header.
        mark.HEADER .. ": " .. mark.make(host, target, "", 0),
    }
    put_client_headers(lines, external.sends, body == "")
    put_own_headers(lines, external.own)
    lines[#lines + 1] = turns.HEADER .. ": " .. turn
    lines[#lines + 1] = "Content-Length: " .. #body
    lines[#lines + 1] = "\r\n" .. body
    return concat(lines, "\r\n")
end

-- Ends the request with the auth service's own answer.
local function answer(refusal)
    local header, response = ngx.header, refusal.response
    for name, values in pairs(response.headers) do
        if
            not of_hop[name]
            and name ~= "date"
            and name ~= "server"
            -- The client may be a gateway, which would obey (https://nginx.org/r/proxy_ignore_headers).
            and str_sub(name, 1, 8) ~= "x-accel-"
        then
            header[name] = #values == 1 and values[1] or values
        end
    end
    var.albc_reason = refusal.reason
    -- The client may also be a gateway that asks whether to let a request in, and takes 2xx for a yes.
    header["X-ALB-ERR-REASON"] = refusal.reason
    ngx.status = refusal.status
    if refusal.status == 204 or refusal.status == 304 then
        -- They have no body, and 204 no length (RFC 9110, 8.6).
        ngx.send_headers()
    else
        local body = response.body or ""
        header["Content-Length"] = #body
        ngx.print(body)
    end
    return ngx.exit(ngx.HTTP_OK)
end

--- Asks the auth service.
---@param external table prepared
---@param ends number? seconds as ngx.now: when the request's own deadline is
---@return table? response when it lets the request pass, for `apply`
---@return table? refusal { status, reason, response?: table, answer?: function }
function _M.check(external, ends)
    local body, reason = request_body.read(external.maxBody)
    if not body then
        return nil, { status = 413, reason = reason }
    end
    local response, problem
    response, reason, problem =
        ask(external, build, body, var.request_method, ends or huge, ALL, MAX_ANSWER)
    if not response then
        return nil, { status = problem or 503, reason = reason }
    end
    local status = response.status
    if status == 200 then
        return response
    end
    return nil,
        {
            -- 101 is not a final answer.
            status = status >= 200 and status or 403,
            reason = errors.fill(reasons.forward_status, status),
            response = response,
            answer = answer,
        }
end

-- Names of the answer's headers that the backend gets.
local function names_for_backend(external, response)
    if external.sets then
        return external.sets
    end
    local names = {}
    for name in pairs(response.headers) do
        if not of_hop[name] and not is_own_of_answer(name) then
            names[fold(name)] = true
        end
    end
    return names
end

--- The user that the auth service names.
_M.user = identity.of

--- Sets the auth service's headers for the backend, and removes headers of the same names that the client sent.
---@param external table prepared
---@param response table? nil when the service was not asked
function _M.apply(external, response)
    local names = external.sets or response and names_for_backend(external, response)
    if not names then
        return
    end
    client_headers.clear(names)
    for name, values in pairs(response and response.headers or {}) do
        if names[name] then
            set_header(name, #values == 1 and values[1] or values)
        end
    end
    -- The auth service did not see the headers that the client declared as hop-by-hop.
    for name in pairs(client_headers.declared()) do
        if not names[name] then
            clear_header(name)
        end
    end
end

return _M

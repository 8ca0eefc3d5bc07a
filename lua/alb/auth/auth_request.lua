--- The request to an auth service: the client's headers, then the gateway's, then the config map's. Of equal names
-- (without case) the last wins. The request has no body.
-- May yield: no. Phases: prepare any; build in access.
local client_headers = require("alb.auth.client_headers")
local ffi = require("ffi")
local growth = require("alb.growth")
local headers = require("alb.headers")
local index = require("alb.policy.index")
local interpolation = require("alb.interpolation")
local mark = require("alb.auth.mark")
local trace = require("alb.trace")
local turns = require("alb.turns")

local var = ngx.var
local MOST_HEAD = growth.MOST_HEAD
local expand = interpolation.expand
local ORIGIN = client_headers.ORIGIN
local fold = client_headers.fold
local of_content = headers.content
local of_hop = headers.of_hop
local ffi_copy = ffi.copy
local ffi_new = ffi.new
local ffi_str = ffi.string
local str_find = string.find
local str_lower = string.lower
local pairs = pairs

local _M = {}

-- The gateway's own headers, and their values for the request being built.
local OWN = { unpack(mark.NAMES) }
OWN[#OWN + 1] = "X-Forwarded-For"
OWN[#OWN + 1] = turns.HEADER
if trace.on then
    OWN[#OWN + 1] = "traceparent"
end
local values = { "", "", "", "", "alb", "", "", "", "" }

local capacity = 4096
local buffer = ffi_new("unsigned char[?]", capacity)

-- Room for more bytes after the first `used`.
local function reserve(used, more)
    if used + more <= capacity then
        return
    end
    while used + more > capacity do
        capacity = capacity * 2
    end
    local larger = ffi_new("unsigned char[?]", capacity)
    ffi_copy(larger, buffer, used)
    buffer = larger
end

-- Appends `<name>: <value>CRLF`; the value as pointer and length or as a string.
local function put(used, name, value, size)
    reserve(used, #name + size + 4)
    ffi_copy(buffer + used, name, #name)
    used = used + #name
    buffer[used], buffer[used + 1] = 58, 32
    ffi_copy(buffer + used + 2, value, size)
    used = used + 2 + size
    buffer[used], buffer[used + 1] = 13, 10
    return used + 2
end

-- What happens to a client header, by folded name: true drops it, a string names the variable that replaces its value.
local function actions_of(sent)
    local actions = {}
    for name in pairs(of_hop) do
        actions[name] = true
    end
    for name in pairs(of_content) do
        actions[name] = true
    end
    for i = 1, #ORIGIN do
        actions[str_lower(ORIGIN[i][1])] = ORIGIN[i][2]
    end
    for i = 1, #OWN do
        actions[str_lower(OWN[i])] = true
    end
    if trace.on then
        actions.tracestate = "albc_tracestate"
    end
    for i = 1, #sent do
        actions[fold(str_lower(sent[i][1]))] = true
    end
    return actions
end

-- Positions of the gateway's own headers that the config map does not set or can't set; `marked`: how many of them,
-- the first, are marked.
local function own_of(config)
    local own = { marked = 0 }
    for i = 1, #OWN do
        local name = str_lower(OWN[i])
        if not config[name] or of_hop[name] then
            own[#own + 1] = i
            own.marked = i <= #mark.NAMES and #own or own.marked
        end
    end
    return own
end

-- A header of the config map, without those of the hop, which would change where the request ends, except Host, and
-- those of a body, which the request does not have.
local function prepare_header(sent, name, segments)
    local value, err = interpolation.prepare(segments)
    if not value or not str_find(name, "^[%w!#$%%&'*+.^_`|~-]+$") then
        return err or "header name"
    end
    if str_lower(name) == "host" then
        sent.host = value
    elseif not of_hop[fold(str_lower(name))] and not of_content[fold(str_lower(name))] then
        sent[#sent + 1] = { name, value }
    end
end

-- What is sent besides the client's headers, for headers of a config map.
local function sent_with(list)
    local sent, config = {}, {}
    for _, header in ipairs(list) do
        sent.err = sent.err or prepare_header(sent, header[1], header[2])
        config[str_lower(header[1])] = true
    end
    sent.own = own_of(config)
    sent.actions = actions_of(sent)
    return sent
end

local WITHOUT_CONFIG = sent_with({})

--- Prepares a decoded shard of `headers`, which all auth policies with these headers share.
function _M.prepare_headers(list)
    list.sent = sent_with(list)
end

--- Makes the header part of a decoded forward auth ready.
---@return true? ok
---@return string? err
function _M.prepare(forward)
    if not forward.headers then
        forward.sent = WITHOUT_CONFIG
        return true
    end
    local shared = index.get("headers", forward.headers)
    forward.sent = shared and shared.sent
    if not shared or shared.sent.err then
        return nil, shared and shared.sent.err or "headers"
    end
    return true
end

local function put_client_headers(used, actions, declared)
    local lines, count = client_headers.read()
    for i = 0, count - 1 do
        local key, value = lines[i].key, lines[i].value
        local name = ffi_str(key.data, key.len)
        local action = actions[fold(name)]
        if action == nil then
            if not declared[name] then
                used = put(used, name, value.data, value.len)
            end
        elseif action ~= true then
            local text = var[action] or ""
            if text ~= "" then
                used = put(used, name, text, #text)
            end
        end
    end
    return used
end

local function fill_values(redirect, turn)
    local uri, scheme = var.request_uri, var.albc_scheme
    values[1] = uri
    values[2] = scheme
    values[3] = scheme .. "://" .. (var.http_host or var.host) .. uri
    values[4] = var.request_method
    values[6] = var.remote_addr
    values[7] = redirect ~= "" and redirect or uri
    values[8] = var.albc_xff
    values[9] = turn
    values[10] = trace.on and var.albc_traceparent
end

local function put_own(used, list, first, last)
    for i = first, last do
        local value = values[list[i]]
        used = put(used, OWN[list[i]], value, #value)
    end
    return used
end

-- The mark vouches for nothing that follows it, and at no host that a tenant sets.
local function put_own_headers(first, own, authority, target)
    local used = put_own(first, own, 1, own.marked)
    local text = mark.make(authority, target, buffer + first, used - first)
    used = put(used, mark.HEADER, text, #text)
    return put_own(used, own, own.marked + 1, #own)
end

-- `room`: bytes that they may have.
local function put_config_headers(used, list, room)
    for i = 1, #list do
        local value, err = expand(list[i][2], room)
        if not value then
            return nil, err
        end
        room = room - #list[i][1] - #value
        if room < 0 then
            return nil, growth.TOO_LONG
        end
        -- Like nginx: an empty value removes the header.
        if value ~= "" then
            used = put(used, list[i][1], value, #value)
        end
    end
    return used
end

local function put_request_line(forward, target, host)
    local line = forward.method .. " " .. target .. " HTTP/1.1\r\nHost: " .. host .. "\r\n"
    reserve(0, #line)
    ffi_copy(buffer, line, #line)
    return #line
end

--- The whole request as bytes.
---@param forward table prepared
---@param target string path and query
---@param authority string value of Host
---@param declared table<string, true> names of the hop, see client_headers.declared
---@return string? request
---@return string? err
function _M.build(forward, target, authority, declared)
    local sent = forward.sent
    local host, err = expand(sent.host or authority, MOST_HEAD)
    if not host then
        return nil, err
    end
    local redirect
    redirect, err = expand(forward.redirect, MOST_HEAD - #host)
    if not redirect then
        return nil, err
    end
    local turn = turns.of_question(forward.questions)
    if not turn then
        return nil, turns.SPENT
    end
    fill_values(redirect, turn)
    local used = put_request_line(forward, target, host)
    used = put_client_headers(used, sent.actions, declared)
    used = put_own_headers(used, sent.own, authority, target)
    used, err = put_config_headers(used, sent, MOST_HEAD - #host - #redirect)
    if not used then
        return nil, err
    end
    reserve(used, 2)
    buffer[used], buffer[used + 1] = 13, 10
    return ffi_str(buffer, used + 2)
end

return _M

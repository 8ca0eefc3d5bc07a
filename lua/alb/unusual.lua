--- Looks once at each header line of a request, before anything else reads them: removes those that only gateways may
-- send (src/model/special-headers.ts), and finds what few requests have: a body, an upgrade, the wish for events, an
-- X-Albc-Turns header. nginx's variables don't distinguish `_` and `-` in names, and backends that follow CGI don't
-- either, so a special header in a spelling with `_` is removed.
-- May yield: no. Phases: access.
local bit = require("bit")
local client_headers = require("alb.auth.client_headers")
local contain = require("alb.bytes").contain
local ffi = require("ffi")
local mark = require("alb.auth.mark")
local headers = require("alb.headers")
local reader = require("alb.nginx_variable").reader
local turns = require("alb.turns")

local C = ffi.C
local band = bit.band
local ffi_str = ffi.string
local var = ngx.var
local clear_header = ngx.req.clear_header
local fold = client_headers.fold
local prefixes = headers.prefixes
local prefix_set = client_headers.prefix_set
local read = client_headers.read
local special = headers.special
local str_byte = string.byte
local str_lower = string.lower

local read_length = reader("content_length")
local read_accept = reader("http_accept")

-- As EventSource sends it, alone, and MCP clients in a list.
local EVENTS = "text/event-stream"
local UNDERSCORE = 95

local DROP, CLAIM, UPGRADE, TURNS, ACCEPT, MARK = 1, 2, 3, 4, 5, 6

-- What a header means, by its set or name.
local meanings_of_sets = { dropped = DROP, claims = CLAIM }
local meanings = { accept = ACCEPT, upgrade = UPGRADE, [turns.HEADER:lower()] = TURNS }
for set, meaning in pairs(meanings_of_sets) do
    for name in pairs(headers[set]) do
        meanings[name] = meaning
    end
end
meanings[mark.HEADER:lower()] = MARK

-- By the first two bytes of the names with a meaning: their length, or ANY. Most headers need no Lua string then.
local ANY = 255
local lengths = ffi.new("unsigned char[1024]")

local function place(first, second)
    return band(first, 31) * 32 + band(second, 31)
end

local function add(name, length)
    local at = place(str_byte(name, 1, 2))
    lengths[at] = (lengths[at] == 0 or lengths[at] == length) and length or ANY
end

for name in pairs(meanings) do
    add(name, #name)
end
for i = 1, #prefixes do
    add(prefixes[i][1], ANY)
end

local _M = {}

local function meaning_of(name)
    local folded = fold(name)
    if folded ~= name then
        return (special[folded] or prefix_set(folded)) and DROP
    end
    return meanings[name] or meanings_of_sets[prefix_set(name) or ""]
end

-- Only WebSocket over HTTP/1.1. If a backend accepted "Upgrade: h2c", everything that follows on the connection would
-- bypass routing and auth.
local function allow_upgrade()
    local wanted = var.http_upgrade
    if wanted and str_lower(wanted) == "websocket" and var.server_protocol == "HTTP/1.1" then
        var.albc_upgrade, var.albc_connection = "websocket", "upgrade"
        return true
    end
    return false
end

--- Whether the client asks for events, each of which is to arrive at once.
---@return boolean
function _M.wants_events()
    local accept, length = read_accept()
    return accept ~= nil and contain(accept, length, EVENTS)
end

-- Clearing a line moves the others, so it follows the look at all of them. Those that a mark vouches for stay.
local function remove(names, is_marked)
    local vouched = is_marked and mark.check()
    if is_marked then
        clear_header(mark.HEADER)
    elseif var.albc_marked == "1" then
        -- The request begins again.
        return
    end
    for i = 1, names and #names or 0 do
        if not vouched or not vouched[names[i]] then
            clear_header(names[i])
        end
    end
end

-- What a header means, and its name; nil for most, without a Lua string.
local function meaning_of_key(key)
    local data, length = key.data, key.len
    local expected = length > 1 and lengths[place(data[0], data[1])] or 0
    if expected == length or expected == ANY or C.memchr(data, UNDERSCORE, length) ~= nil then
        local name = ffi_str(data, length)
        return meaning_of(name), name
    end
end

local function is_withheld(meaning)
    return meaning == DROP or meaning == CLAIM and var.albc_trusted ~= "1"
end

-- Returns whether there is an upgrade, the count of turns or a mark, the wish for events.
local function look_at_headers()
    local lines, count = read()
    local upgrade, turned, events, marked, removed = false, false, false, false, nil
    for i = 0, count - 1 do
        local meaning, name = meaning_of_key(lines[i].key)
        if meaning == ACCEPT then
            local value = lines[i].value
            events = events or contain(value.data, value.len, EVENTS)
        elseif meaning == UPGRADE then
            upgrade = true
        elseif meaning == TURNS then
            turned = true
        elseif meaning == MARK then
            marked = true
        elseif is_withheld(meaning) then
            removed = removed or {}
            removed[#removed + 1] = name
        end
    end
    if removed or marked then
        remove(removed, marked)
    end
    return upgrade, turned or marked, events
end

--- Handles all of these except the body. Ends a request that loops.
---@return boolean found false if there is none of these, hence no body with a declared length
---@return boolean changed whether `location /` does not do what the request needs
function _M.look()
    local upgrade, turned, events = look_at_headers()
    local is_changed = events
    if upgrade then
        is_changed = allow_upgrade() or is_changed
    end
    if turned then
        turns.check()
        is_changed = true
    end
    if upgrade or turned or events then
        return true, is_changed
    end
    local _, size = read_length()
    return size ~= nil and size > 0, false
end

return _M

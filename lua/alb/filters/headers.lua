--- Changes headers of the request to the backend and of the response to the client: set, then remove, then add.
-- Names are compared without case. If a list repeats a name, the first entry counts.
-- May yield: no. Phases: request in access, response in header_filter.
local add_request_header = require("ngx.req").add_header
local add_response_header = require("ngx.resp").add_header
local of_connection = require("alb.headers").of_connection

local ngx = ngx
local type = type
local var = ngx.var
local get_request_headers = ngx.req.get_headers
local concat = table.concat
local set_request_header = ngx.req.set_header
local clear_request_header = ngx.req.clear_header
local str_gsub = string.gsub
local str_lower = string.lower

local _M = {}

--- Whether only the data plane writes the header; nginx's variables don't distinguish `_` and `-` in names.
---@param key string in lower case
function _M.is_protected(key)
    return of_connection[str_gsub(key, "_", "-")]
end

local is_protected = _M.is_protected

-- nginx adds these if they are missing, and omits them if they are empty.
local written_by_nginx = { ["date"] = true, ["server"] = true }

-- ngx_lua keeps a single line of these, so adding a line would replace the existing one: values are joined instead
-- (RFC 9110, 5.3).
local one_line_of_request = {
    ["accept-encoding"] = true,
    ["authorization"] = true,
    ["content-type"] = true,
    ["date"] = true,
    ["depth"] = true,
    ["destination"] = true,
    ["expect"] = true,
    ["if-match"] = true,
    ["if-modified-since"] = true,
    ["if-none-match"] = true,
    ["if-range"] = true,
    ["if-unmodified-since"] = true,
    ["overwrite"] = true,
    ["range"] = true,
    ["referer"] = true,
    ["user-agent"] = true,
    ["via"] = true,
}
local one_line_of_response = {
    ["accept-ranges"] = true,
    ["content-encoding"] = true,
    ["content-range"] = true,
    ["content-type"] = true,
    ["date"] = true,
    ["etag"] = true,
    ["expires"] = true,
    ["location"] = true,
    ["refresh"] = true,
    ["server"] = true,
}

-- Names and values alternate, so requests read one flat list.
local function flatten(pairs_list)
    local flat, n, seen = {}, 0, {}
    for i = 1, #(pairs_list or {}) do
        local name, value = pairs_list[i][1], pairs_list[i][2]
        local key = str_lower(name)
        if not seen[key] and not is_protected(key) then
            seen[key] = true
            flat[n + 1], flat[n + 2] = name, value
            n = n + 2
        end
    end
    return flat
end

local function removable(names)
    local list, n = {}, 0
    for i = 1, #(names or {}) do
        local key = str_lower(names[i])
        if not is_protected(key) then
            n = n + 1
            list[n] = key
        end
    end
    return list
end

-- The backend's location writes the Host header; it is not one of the client's headers.
local function take_host(changes)
    local sets, kept, n = changes.sets, {}, 0
    for i = 1, #sets, 2 do
        if str_lower(sets[i]) == "host" then
            changes.host = sets[i + 1]
        else
            kept[n + 1], kept[n + 2] = sets[i], sets[i + 1]
            n = n + 2
        end
    end
    changes.sets = kept
end

local function drop_host(changes)
    local adds, removes = {}, {}
    for i = 1, #changes.adds, 2 do
        if str_lower(changes.adds[i]) ~= "host" then
            adds[#adds + 1], adds[#adds + 2] = changes.adds[i], changes.adds[i + 1]
        end
    end
    for i = 1, #changes.removes do
        if changes.removes[i] ~= "host" then
            removes[#removes + 1] = changes.removes[i]
        end
    end
    changes.adds, changes.removes = adds, removes
end

-- Moves the headers that can only be joined from `adds` to `joins`.
local function take_joins(changes, one_line)
    local joins, adds = {}, {}
    for i = 1, #changes.adds, 2 do
        local name = changes.adds[i]
        local list = one_line[str_lower(name)] and joins or adds
        list[#list + 1], list[#list + 2] = name, changes.adds[i + 1]
    end
    changes.joins, changes.adds = joins, adds
end

local function prepare_changes(changes, one_line)
    changes.sets = flatten(changes.set)
    changes.adds = flatten(changes.add)
    changes.removes = removable(changes.remove)
    take_joins(changes, one_line)
end

local function joined(old, value)
    if not old or old == "" then
        return value
    end
    return (type(old) == "table" and concat(old, ",") or old) .. "," .. value
end

--- Removes a header of the response.
---@param header table ngx.header
function _M.remove_response(header, name)
    header[name] = written_by_nginx[str_lower(name)] and "" or nil
end

--- Adds a line to the response.
---@param header table ngx.header
function _M.add_response(header, name, value)
    if one_line_of_response[str_lower(name)] then
        header[name] = joined(header[name], value)
    else
        add_response_header(name, value)
    end
end

local function join_request_headers(joins)
    -- 0: no limit on their number.
    local headers = get_request_headers(0)
    for i = 1, #joins, 2 do
        local name = joins[i]
        set_request_header(name, joined(headers[str_lower(name)], joins[i + 1]))
    end
end

--- The filter for requests; it sets a Host by $albc_host.
_M.of_request = { field = "requestHeaders" }

function _M.of_request.prepare(route)
    local changes = route.requestHeaders
    prepare_changes(changes, one_line_of_request)
    take_host(changes)
    drop_host(changes)
end

function _M.of_request.request(route)
    local changes = route.requestHeaders
    local sets, removes, adds = changes.sets, changes.removes, changes.adds
    if changes.host then
        var.albc_host = changes.host
    end
    for i = 1, #sets, 2 do
        set_request_header(sets[i], sets[i + 1])
    end
    for i = 1, #removes do
        clear_request_header(removes[i])
    end
    for i = 1, #adds, 2 do
        add_request_header(adds[i], adds[i + 1])
    end
    if changes.joins[1] then
        join_request_headers(changes.joins)
    end
end

--- The filter for responses.
_M.of_response = { field = "responseHeaders" }

function _M.of_response.prepare(route)
    prepare_changes(route.responseHeaders, one_line_of_response)
end

function _M.of_response.response(route)
    local changes = route.responseHeaders
    local header = ngx.header
    local sets, removes, adds = changes.sets, changes.removes, changes.adds
    for i = 1, #sets, 2 do
        header[sets[i]] = sets[i + 1]
    end
    for i = 1, #removes do
        local name = removes[i]
        header[name] = written_by_nginx[name] and "" or nil
    end
    for i = 1, #adds, 2 do
        add_response_header(adds[i], adds[i + 1])
    end
    local joins = changes.joins
    for i = 1, #joins, 2 do
        header[joins[i]] = joined(header[joins[i]], joins[i + 1])
    end
end

return _M

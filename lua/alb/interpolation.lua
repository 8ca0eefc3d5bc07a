--- Text with variables of the request (Interpolation in docs/policy-format.md).
-- Text without variables stays a plain string and costs nothing. Lengths are added before a text is built, so no
-- template makes much of a long request.
-- May yield: no. Phases: prepare and prepare_url in any; expand in access, content.
local growth = require("alb.growth")
local variables = require("alb.variables")

local format = string.format
local str_byte = string.byte
local re_find = ngx.re.find
local str_find = string.find
local str_gsub = string.gsub
local type = type

local _M = {}

-- The same escapes as nginx writes for a normalised path in a request line (NGX_ESCAPE_URI).
local function escape_path(value)
    return (
        str_gsub(value, '[%z\1-\32"#%%?\127-\255]', function(character)
            return format("%%%02X", str_byte(character))
        end)
    )
end

-- Each returns nil for a value that must not be inserted.
local encoders = {
    raw = function(value)
        return not str_find(value, "[%z\r\n]") and value or nil
    end,
    component = variables.escape_component,
    -- Empty, or a host with or without a port, as in a Host header.
    host = function(value)
        return re_find(
            value,
            [[^(?:(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?)?$]],
            "jod"
        ) and value or nil
    end,
    path = escape_path,
}

-- Joins adjacent literals; a variable stays `{ name, encoding }`.
local function append(parts, n, segment)
    if type(segment) == "string" and type(parts[n]) == "string" then
        parts[n] = parts[n] .. segment
        return n
    end
    parts[n + 1] = segment
    return n + 1
end

local function check(segment)
    if type(segment) == "string" then
        return true
    end
    return variables.is_known(segment[1]) and encoders[segment[2]] ~= nil
end

--- Prepares decoded segments for `expand`; returns a string if they contain no variable.
---@return string|table|nil
---@return string? err names the unknown variable or encoding
function _M.prepare(segments)
    local parts, n = {}, 0
    for i = 1, #segments do
        local segment = segments[i]
        if not check(segment) then
            return nil, "variable " .. tostring(segment[1]) .. " as " .. tostring(segment[2])
        end
        n = append(parts, n, segment)
    end
    if n == 0 then
        return ""
    end
    if n == 1 and type(parts[1]) == "string" then
        return parts[1]
    end
    return parts
end

--- The same for a URL's path and query: $uri is decoded and has no raw form, so it is encoded as a path.
function _M.prepare_url(segments)
    local parts = {}
    for i = 1, #segments do
        local segment = segments[i]
        if type(segment) == "table" and segment[1] == "uri" and segment[2] == "raw" then
            segment = { "uri", "path" }
        end
        parts[i] = segment
    end
    return _M.prepare(parts)
end

-- The encoded value of a variable.
local function value_of(segment, most)
    local value = variables.get(segment[1]) or ""
    -- No encoding makes a text shorter.
    if #value > most then
        return nil, growth.TOO_LONG
    end
    local text = encoders[segment[2]](value)
    if not text then
        return nil, "value of $" .. segment[1] .. " can't stand as " .. segment[2]
    end
    return text
end

--- Returns the text for this request. A variable without a value is empty.
---@param prepared string|table returned by `prepare`
---@param most integer bytes that the text may have
---@return string? text nil if a value is not allowed in its place, or the text would be longer
---@return string? err growth.TOO_LONG, or names the variable, never its value
function _M.expand(prepared, most)
    if type(prepared) == "string" then
        return prepared
    end
    return growth.join(prepared, value_of, most)
end

return _M

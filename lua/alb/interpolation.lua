--- Text with variables of the request (Interpolation in docs/policy-format.md).
-- Text without variables stays a plain string and costs nothing. Lengths are added before a text is built, so no
-- template makes much of a long request.
-- May yield: no. Phases: prepare and prepare_url in any; expand in access, content.
local growth = require("alb.growth")
local variables = require("alb.variables")

local format = string.format
local re_find = ngx.re.find
local str_find = string.find
local str_gsub = string.gsub
local type = type

local _M = {}

local escapes = {}
for code = 0, 255 do
    escapes[string.char(code)] = format("%%%02X", code)
end

-- RFC 3986, 3.3: everything but pchar and "/".
local NOT_PATH = "[^%w%-%._~!%$&'%(%)%*%+,;=:@/]"
-- RFC 3986, 3.4, also what would end or change a parameter.
local NOT_QUERY_VALUE = "[^%w%-%._~!%$'%(%)%*,:@/]"

--- Percent-encodes the characters of a Lua pattern.
---@param text string
---@param illegal string
---@return string
function _M.encode(text, illegal)
    return (str_gsub(text, illegal, escapes))
end

local encode = _M.encode

--- Percent-encodes decoded text for a path, including every `%`.
---@param text string
---@return string
function _M.encode_path(text)
    return encode(text, NOT_PATH)
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
    path = _M.encode_path,
    query = function(value)
        return encode(value, NOT_QUERY_VALUE)
    end,
    -- A path of its own, which begins with exactly one slash. One that begins with two is a host for some readers.
    start = function(value)
        return value == "" and "" or "/" .. encode(str_gsub(value, "^/+", ""), NOT_PATH)
    end,
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
    return (type(segment[1]) == "number" or variables.is_known(segment[1]))
        and encoders[segment[2]] ~= nil
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

-- The encoded value of a variable or capture.
local function value_of(segment, most, captures)
    local name, value = segment[1]
    if type(name) == "number" then
        -- A group outside the match is false.
        value = captures[name] or ""
    else
        value = variables.get(name) or ""
    end
    -- No encoding makes a text shorter.
    if #value > most then
        return nil, growth.TOO_LONG
    end
    local text = encoders[segment[2]](value)
    if not text then
        return nil, "value of $" .. name .. " can't stand as " .. segment[2]
    end
    return text
end

--- Returns the text for this request. A variable without a value is empty.
---@param prepared string|table returned by `prepare`
---@param most integer bytes that the text may have
---@param captures table? by number
---@return string? text nil if a value is not allowed in its place, or the text would be longer
---@return string? err growth.TOO_LONG, or names the variable, never its value
function _M.expand(prepared, most, captures)
    if type(prepared) == "string" then
        return prepared
    end
    return growth.join(prepared, value_of, most, captures)
end

return _M

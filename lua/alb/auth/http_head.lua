--- The head of an HTTP/1.x response (RFC 9112): the status and the wanted header lines.
-- The service may be broken or hostile, so any malformed head is refused.
-- May yield: no. Phases: any.
local str_byte = string.byte
local str_find = string.find
local str_lower = string.lower
local str_match = string.match
local str_sub = string.sub
local tonumber = tonumber

local _M = {}

local CR, SPACE, TAB = 13, 32, 9
-- Each line may become a header of a request or response, and nginx scans all present headers for each one it sets.
local MAX_LINES = 256

--- Where the head ends.
---@param from integer where to start looking
---@return integer? last position of its last byte; nil: there is more to come
function _M.find_end(text, from)
    local _, crlf = str_find(text, "\n\r\n", from, true)
    local _, lf = str_find(text, "\n\n", from, true)
    if crlf and lf then
        return crlf < lf and crlf or lf
    end
    return crlf or lf
end

local function is_blank(byte)
    return byte == SPACE or byte == TAB
end

-- The value between two positions without surrounding blanks; a pattern would try every blank inside it, too.
local function value_of(text, first, last)
    while first <= last and is_blank(str_byte(text, first)) do
        first = first + 1
    end
    while last > first and is_blank(str_byte(text, last)) do
        last = last - 1
    end
    return str_sub(text, first, last)
end

-- The header line between two positions. Unwanted ones only need to have a name.
local function parse_line(text, first, last, wanted, headers)
    local colon = str_find(text, ":", first, true)
    -- A line that starts with a blank continues the previous one (obs-fold, RFC 9112, 5.2).
    if not colon or colon > last or colon == first or is_blank(str_byte(text, first)) then
        return false
    end
    local name = str_lower(str_sub(text, first, colon - 1))
    if not wanted[name] then
        return true
    end
    local value = value_of(text, colon + 1, last)
    if str_find(value, "[%z\1-\8\10-\31\127]") then
        return false
    end
    local values = headers[name]
    if values then
        values[#values + 1] = value
    else
        headers[name] = { value }
    end
    return true
end

--- Reads a head.
---@param text string
---@param last integer its end, from `find_end`
---@param wanted table<string, true> header names in lower case
---@return integer? status nil when it is no head of an HTTP/1.x response
---@return table<string, string[]> headers the values of wanted ones
---@return boolean old it is HTTP/1.0
function _M.parse(text, last, wanted)
    local headers = {}
    local minor, status = str_match(text, "^HTTP/1%.([01]) ([1-9]%d%d)[ \r\n]")
    if not status then
        return nil, headers, true
    end
    local pos = str_find(text, "\n", 1, true) + 1
    local count = 0
    while pos <= last do
        count = count + 1
        if count > MAX_LINES then
            return nil, headers, true
        end
        local stop = str_find(text, "\n", pos, true)
        local line_end = str_byte(text, stop - 1) == CR and stop - 2 or stop - 1
        if line_end >= pos and not parse_line(text, pos, line_end, wanted, headers) then
            return nil, headers, true
        end
        pos = stop + 1
    end
    return tonumber(status), headers, minor == "0"
end

return _M

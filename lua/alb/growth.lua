--- Bounds texts with values of the request: templates repeat values, and clients choose how long these are.
-- May yield: no. Pure.
local concat = table.concat
local type = type

local _M = {
    --- Bytes of a request target or a Location.
    MOST_TARGET = 32768,
    --- Bytes that templates add to the head of a request.
    MOST_HEAD = 65536,
    TOO_LONG = "too long with the values of the request",
}

--- Joins literals and values. Values are computed as long as there is room, and nothing is built that is too long.
---@param segments (string|any)[] literals, and what `value_of` gets
---@param value_of fun(segment: any, most: integer, part: any): string?, string? not a closure, because LuaJIT does not
--- compile functions that create one
---@param most integer bytes
---@param part any passed to `value_of`
---@return string? text
---@return string? err TOO_LONG, or that of `value_of`
function _M.join(segments, value_of, most, part)
    local parts, room = {}, most
    for i = 1, #segments do
        local text = segments[i]
        if type(text) ~= "string" then
            local value, err = value_of(text, room, part)
            if not value then
                return nil, err
            end
            text = value
        end
        room = room - #text
        if room < 0 then
            return nil, _M.TOO_LONG
        end
        parts[i] = text
    end
    return concat(parts)
end

return _M

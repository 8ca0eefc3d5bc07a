--- Rewrites a pattern so that PCRE's match limit bounds the time that a match may take.
--
-- PCRE counts how often it goes on after a repetition, or turns back; not the characters that a repetition runs over,
-- nor the places where a search begins, nor all rounds of a group. Here `x*` becomes `(?:x{32})*x{0,31}`, which matches
-- the same in the same order, groups that repeat count each round, and the search becomes part of the pattern. What can
-- happen between two counts is then known from the text, and so is the limit for a given time. The syntax is what
-- src/translate/pattern lets through. May yield: no. Pure.
local concat = table.concat
local floor = math.floor
local str_find = string.find
local str_match = string.match
local str_sub = string.sub
local tonumber = tonumber

local _M = {}

-- What one match may take, and what a count takes; one is about a nanosecond.
local FUEL, COUNT = 4000000, 20
-- Characters of a repetition for each count.
local CHUNK = 32
local ROUND, LAST = "{" .. CHUNK .. "}", "{0," .. CHUNK - 1 .. "}"
-- It matches nothing, once, and is counted.
local TICK = "(?:)?+"
-- What a reference to a group may compare.
local LONGEST = 8192
local OPENINGS = {
    "^%(%?P?<[%a_][%w_]*>",
    "^%(%?<?[=!]",
    "^%(%?>",
    "^%(%?[ims%-]*:",
    "^%(",
}

-- The last byte of the class that begins at `pos`.
local function class_end(pattern, pos)
    local _, at = str_find(pattern, "^%[%^?%]?", pos)
    repeat
        local _, set = str_find(pattern, "^%[:%^?%l+:%]", at + 1)
        local byte = str_sub(pattern, at + 1, at + 1)
        at = set or at + (byte == "\\" and 2 or 1)
    until not set and byte == "]" or at >= #pattern
    return at
end

-- The last byte of the character, class or escape that begins at `pos`, and what trying it may take.
local function atom_end(pattern, pos)
    local first = str_sub(pattern, pos, pos)
    if first == "[" then
        return class_end(pattern, pos), 2
    elseif first ~= "\\" then
        return pos, 1
    end
    local _, reference = str_find(pattern, "^\\k<[%w_]+>", pos)
    if reference or str_find(pattern, "^\\%d", pos) then
        return reference or pos + 1, LONGEST
    end
    local _, hex = str_find(pattern, "^\\x%x%x", pos)
    return hex or pos + 1, 2
end

-- Least and most of the quantifier at `pos`, its last letter (lazy, possessive) and its last byte; nil for none.
local function quantifier_at(pattern, pos)
    local sign, mode = str_match(pattern, "^([*+?])([+?]?)", pos)
    if sign then
        return sign == "+" and 1 or 0, sign == "?" and 1 or nil, mode, pos + #mode
    end
    local least, comma, most, manner = str_match(pattern, "^{(%d+)(,?)(%d*)}([+?]?)", pos)
    if not least then
        return nil
    end
    local last = pos + 1 + #least + #comma + #most + #manner
    local min = tonumber(least)
    return min, comma == "" and min or tonumber(most), manner, last
end

-- Reads one pattern: `out` is the text made of it, `cost` what may be done between two counts.
local function new_state(pattern, finds_only)
    return {
        pattern = pattern,
        -- What stands first and matches nothing too is not needed to tell whether there is a match.
        strips = finds_only and not str_find(pattern, "\\[%dk]"),
        out = {},
        n = 0,
        cost = COUNT,
        opened = {},
        depth = 0,
        alternatives = false,
        anchored = str_find(pattern, "^%^") ~= nil or str_find(pattern, "^\\A") ~= nil,
        literal = "",
        literal_open = true,
    }
end

local function emit(state, text)
    state.n = state.n + 1
    state.out[state.n] = text
end

-- A character or class that repeats without bounds, in chunks.
local function emit_chunks(state, atom, min, mode)
    if min > 0 then
        emit(state, min == 1 and atom or atom .. "{" .. min .. "}")
    end
    local lazy = mode == "?" and "?" or ""
    local text = "(?:" .. atom .. ROUND .. ")*" .. lazy .. atom .. LAST .. lazy
    emit(state, mode == "+" and "(?>" .. text .. ")" or text)
end

-- One that repeats: as it is when it can be told how often, else in chunks.
local function emit_repeated(state, atom, cost, written, min, max, mode)
    if cost == LONGEST then
        emit(state, written)
        state.cost = state.cost + cost + (max or min)
    elseif max then
        emit(state, written)
        state.cost = state.cost + cost * (max < LONGEST and max or LONGEST)
    else
        emit_chunks(state, atom, min, mode)
        state.cost = state.cost + cost * (CHUNK + min)
    end
end

-- What the pattern begins with ends at an assertion, a set and what repeats.
local function add_literal(state, atom)
    state.literal_open = not str_find(atom, "^[$.%[]") and not str_find(atom, "^\\%w")
    state.literal = state.literal .. (state.literal_open and str_sub(atom, -1) or "")
end

local function add_atom(state, pos)
    local pattern = state.pattern
    local last, cost = atom_end(pattern, pos)
    local atom = str_sub(pattern, pos, last)
    local min, max, mode, stop = quantifier_at(pattern, last + 1)
    if min then
        emit_repeated(state, atom, cost, str_sub(pattern, pos, stop), min, max, mode)
        state.literal_open = false
        return stop + 1
    end
    emit(state, atom)
    state.cost = state.cost + cost
    if state.literal_open and atom ~= "^" then
        add_literal(state, atom)
    end
    return last + 1
end

local function open_group(state, pos)
    local flags = str_match(state.pattern, "^%(%?[ims%-]+%)", pos)
    state.literal_open = false
    if flags then
        emit(state, flags)
        return pos + #flags
    end
    for i = 1, #OPENINGS do
        local text = str_match(state.pattern, OPENINGS[i], pos)
        if text then
            emit(state, text)
            state.depth = state.depth + 1
            state.opened[state.depth] = state.n
            if not state.behind and str_find(text, "<[=!]") then
                state.behind = state.depth
            end
            return pos + #text
        end
    end
end

local function close_group(state, pos)
    local min, max, _, stop = quantifier_at(state.pattern, pos + 1)
    stop = stop or pos
    local closing = ")"
    if min and max ~= 1 and not state.behind then
        local opened = state.opened[state.depth] or 0
        state.out[opened] = "(?:" .. (state.out[opened] or "")
        closing = ")" .. TICK .. ")"
    end
    emit(state, closing .. str_sub(state.pattern, pos + 1, stop))
    -- What a lookbehind looks at has one length, and counts itself how often.
    state.cost = state.cost + COUNT * (state.behind and min or 1)
    if state.behind == state.depth then
        state.behind = nil
    end
    state.depth = state.depth - 1
    return stop + 1
end

-- After what may stand first in an alternative without being needed: `.*`, `(.*)`, and all but the `.` of `.+`.
local function skip_start(pattern, pos)
    local group = str_match(pattern, "^%(%.%*%??%)", pos)
    if group and not quantifier_at(pattern, pos + #group) then
        return pos + #group
    end
    local sign, mode = str_match(pattern, "^%.([*+])([+?]?)", pos)
    if not sign or mode == "+" then
        return pos, ""
    end
    return pos + 2 + #mode, sign == "+" and "." or ""
end

local function read_all(state)
    local pattern, pos, at_start = state.pattern, 1, state.strips
    while pos <= #pattern do
        if at_start then
            local dot
            pos, dot = skip_start(pattern, pos)
            if dot == "." then
                emit(state, dot)
            end
        end
        local byte = str_sub(pattern, pos, pos)
        at_start = false
        if byte == "|" then
            emit(state, byte)
            at_start = state.strips and state.depth == 0
            state.alternatives = state.alternatives or state.depth == 0
            state.cost = state.cost + 2
            pos = pos + 1
        elseif byte == "(" then
            pos = open_group(state, pos)
        elseif byte == ")" then
            pos = close_group(state, pos)
        elseif byte ~= "" then
            pos = add_atom(state, pos)
        end
    end
end

--- What PCRE is given for a pattern.
---@param pattern string one that src/translate/pattern accepts
---@param finds_only boolean is all that is asked whether it matches? Else its place and its groups stay as well
---@return string text the pattern, with its match limit
---@return string literal what every subject that it matches begins with; "" when that is not known
function _M.bounded(pattern, finds_only)
    local state = new_state(pattern, finds_only)
    read_all(state)
    local anchored = state.anchored and not state.alternatives
    local text = concat(state.out)
    local limit = floor(FUEL / state.cost)
    local head = "(*LIMIT_MATCH=" .. (limit > 0 and limit or 1) .. ")"
    if anchored then
        return head .. text, state.literal
    end
    return head .. "\\A(?s:.*?)\\K(?:" .. text .. ")", ""
end

return _M

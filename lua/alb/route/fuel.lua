--- Rewrites a pattern so that PCRE's match limit bounds the time of a match.
--
-- PCRE's limit counts how often a match continues after a repetition or backtracks. It counts neither the characters of
-- a repetition, nor the start positions of a search, nor all rounds of a group. So `x*` becomes `(?:x{32})*x{0,31}`,
-- which matches the same in the same order; repeated groups count each round; and the search becomes part of the
-- pattern. The text then shows how much can happen between two counts, which gives the limit for a given time. The
-- syntax is what src/translate/pattern accepts. May yield: no. Pure.
local concat = table.concat
local floor = math.floor
local str_find = string.find
local str_match = string.match
local str_sub = string.sub
local tonumber = tonumber

local _M = {}

-- Cost of the longest match, and of one count; a unit is about a nanosecond.
local FUEL, COUNT = 4000000, 20
-- Characters of a repetition for each count.
local CHUNK = 32
local ROUND, LAST = "{" .. CHUNK .. "}", "{0," .. CHUNK - 1 .. "}"
-- Matches the empty string, once, and is counted.
local TICK = "(?:)?+"
-- Bytes that a reference to a group may compare.
local LONGEST = 8192
local OPENINGS = {
    "^%(%?P?<[%a_][%w_]*>",
    "^%(%?<?[=!]",
    "^%(%?>",
    "^%(%?[ims%-]*:",
    "^%(",
}

-- Position of the last byte of the class that begins at `pos`.
local function class_end(pattern, pos)
    local _, at = str_find(pattern, "^%[%^?%]?", pos)
    repeat
        local _, set = str_find(pattern, "^%[:%^?%l+:%]", at + 1)
        local byte = str_sub(pattern, at + 1, at + 1)
        at = set or at + (byte == "\\" and 2 or 1)
    until not set and byte == "]" or at >= #pattern
    return at
end

-- Position of the last byte of the character, class or escape that begins at `pos`, and the cost of trying it.
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

-- Minimum, maximum, mode (`?` lazy, `+` possessive) and last byte of the quantifier at `pos`; nil for none.
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

-- The state of reading one pattern: `out` is the rewritten text, `cost` the cost between two counts.
local function new_state(pattern, finds_only)
    return {
        pattern = pattern,
        -- An optional start doesn't affect whether there is a match.
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

-- A character or class that repeats without a maximum, in chunks.
local function emit_chunks(state, atom, min, mode)
    if min > 0 then
        emit(state, min == 1 and atom or atom .. "{" .. min .. "}")
    end
    local lazy = mode == "?" and "?" or ""
    local text = "(?:" .. atom .. ROUND .. ")*" .. lazy .. atom .. LAST .. lazy
    emit(state, mode == "+" and "(?>" .. text .. ")" or text)
end

-- One that repeats: unchanged if the number of repetitions is bounded, else in chunks.
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

-- The literal prefix ends at an assertion, a set or a repetition.
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
    -- A lookbehind has a fixed length; its repetitions are not counted but multiply the cost.
    state.cost = state.cost + COUNT * (state.behind and min or 1)
    if state.behind == state.depth then
        state.behind = nil
    end
    state.depth = state.depth - 1
    return stop + 1
end

-- Skips the start of an alternative that is not needed to decide: `.*`, `(.*)`, and all but the `.` of `.+`.
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

--- Returns the pattern to compile.
---@param pattern string one that src/translate/pattern accepts
---@param finds_only boolean true if only the result is needed; false keeps the position and groups of the match too
---@return string text the pattern with its match limit
---@return string literal the prefix of all matching subjects; "" if unknown
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

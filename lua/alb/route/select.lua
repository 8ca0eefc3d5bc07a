--- Finds the candidate for a path in the table of a host.
-- May yield: no. Phases: access (the predicates read the request).
local bytes = require("alb.bytes")
local candidates = require("alb.route.candidate")
local expression = require("alb.route.expression")
local predicates = require("alb.route.predicates")
local prefix_index = require("alb.route.prefix")

local bytes_of = bytes.of
local str_find = string.find
local str_sub = string.sub
local math_huge = math.huge
local winner = prefix_index.winner
local DEPTH = prefix_index.DEPTH

local _M = {}

-- Returns the candidate if its conditions hold, its broken copy if that can't be decided, else nil.
local function held(candidate, undecided)
    if candidate.when then
        local holds, unsure = predicates.hold(candidate.when)
        if not holds then
            return nil
        end
        undecided = undecided or unsure
    end
    return undecided and candidates.undecided(candidate) or candidate
end

-- The first candidate of a list that holds and precedes `best`.
local function first_of(list, best, best_rank)
    for i = 1, #list do
        local candidate = list[i]
        if candidate.rank > best_rank then
            return best, best_rank
        end
        local found = held(candidate)
        if found then
            return found, found.rank
        end
    end
    return best, best_rank
end

local function first_prefix(built, path, best, best_rank)
    local prefix = built.prefix
    local list = prefix[""]
    if list then
        best, best_rank = first_of(list, best, best_rank)
    end
    local slash = 1
    for _ = 1, built.depth do
        slash = str_find(path, "/", slash + 1, true)
        list = prefix[slash and str_sub(path, 1, slash - 1) or path]
        if list then
            best, best_rank = first_of(list, best, best_rank)
        end
        if not slash then
            break
        end
    end
    return best, best_rank
end

local function first_start(built, path, best, best_rank)
    local lengths = built.start_lengths
    for i = 1, #lengths do
        if lengths[i] <= #path then
            local list = built.start[str_sub(path, 1, lengths[i])]
            if list then
                best, best_rank = first_of(list, best, best_rank)
            end
        end
    end
    return best, best_rank
end

local function first_regex(built, path, best, best_rank)
    local list = built.regex
    for i = 1, #list do
        local candidate = list[i]
        if candidate.rank > best_rank then
            break
        end
        local matches, err = expression.matches(candidate.expression, path)
        local found = (matches or err) and held(candidate, err)
        if found then
            return found, found.rank
        end
    end
    return best, best_rank
end

-- For tables whose candidates have conditions or patterns.
local function select(built, path)
    local best, best_rank = nil, math_huge
    local list = built.exact[path]
    if list then
        best, best_rank = first_of(list, best, best_rank)
    end
    best, best_rank = first_prefix(built, path, best, best_rank)
    best, best_rank = first_start(built, path, best, best_rank)
    best, best_rank = first_regex(built, path, best, best_rank)
    best = first_of(built.any, best, best_rank)
    return best
end

--- The candidate for a path in a table that host_table.lua built; nil if there is none.
---@param path string normalised path
function _M.find(built, path)
    if not built[DEPTH] then
        return select(built, path)
    end
    return winner(built, bytes_of(path), #path)
end

return _M

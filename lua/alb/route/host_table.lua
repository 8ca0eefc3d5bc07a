--- Builds the table of a host: its candidates indexed by path. Every request reads it.
--
-- Bindings are tried in byte order of `order`; the index skips those whose path can't match (select.lua). If no
-- candidate has further conditions, the winner of every path is known at build time, and a request costs one or two
-- reads of one table (prefix.lua). May yield: no. Pure.
local candidates = require("alb.route.candidate")
local expression = require("alb.route.expression")
local predicates = require("alb.route.predicates")
local prefix_index = require("alb.route.prefix")

local str_find = string.find
local str_sub = string.sub
local sort = table.sort
local next = next
local pairs = pairs
local earlier = prefix_index.earlier
local longest_prefix = prefix_index.longest
local DEPTH, EXACT, STARTS = prefix_index.DEPTH, prefix_index.EXACT, prefix_index.STARTS

local _M = {}

local function new_table()
    return {
        simple = true,
        exact = {},
        -- Element prefixes without trailing slash; "" is the prefix `/`. `depth` is the maximum number of elements.
        prefix = {},
        depth = 0,
        -- String prefixes, and their lengths in descending order.
        start = {},
        start_lengths = {},
        regex = {},
        any = {},
    }
end

local function merge(lists)
    local all, n = {}, 0
    for i = 1, #lists do
        for j = 1, #lists[i] do
            n = n + 1
            all[n] = lists[i][j]
        end
    end
    if #lists > 1 then
        sort(all, function(a, b)
            return a.order < b.order
        end)
    end
    return all
end

local function append(map, key, candidate)
    local list = map[key]
    if not list then
        list = {}
        map[key] = list
    end
    list[#list + 1] = candidate
end

local function count_elements(prefix)
    local n, pos = 0, 1
    while true do
        pos = str_find(prefix, "/", pos, true)
        if not pos then
            return n
        end
        n, pos = n + 1, pos + 1
    end
end

local function add(built, candidate, path)
    if candidate.when then
        built.simple = false
    end
    local kind = path and path[1]
    if not path then
        built.any[#built.any + 1] = candidate
    elseif kind == "exact" then
        append(built.exact, path[2], candidate)
    elseif kind == "prefix" then
        append(built.prefix, path[2], candidate)
        local depth = count_elements(path[2])
        if depth > built.depth then
            built.depth = depth
        end
    elseif kind == "start" then
        built.start_lengths[#path[2]] = true
        append(built.start, path[2], candidate)
    else
        built.simple = false
        candidate.expression = expression.new(path[2], path[3] == "i")
        built.regex[#built.regex + 1] = candidate
    end
end

-- The longest shorter prefix that has candidates.
local function parent_winner(winners, prefix)
    while prefix ~= "" do
        local cut
        local pos = str_find(prefix, "/", 1, true)
        while pos do
            cut = pos
            pos = str_find(prefix, "/", pos + 1, true)
        end
        prefix = str_sub(prefix, 1, (cut or 1) - 1)
        if winners[prefix] then
            return winners[prefix]
        end
    end
    return nil
end

local function start_winners(built)
    local lengths = built.start_lengths
    local winners = {}
    for i = 1, #lengths do
        winners[i] = lengths[i]
    end
    for prefix, list in pairs(built.start) do
        local winner = list[1]
        for i = 1, #lengths do
            local shorter = lengths[i] < #prefix and built.start[str_sub(prefix, 1, lengths[i])]
            winner = shorter and earlier(winner, shorter[1]) or winner
        end
        winners[prefix] = winner
    end
    return winners
end

-- Without conditions the first candidate of a list always wins, so the winner of each path is known in advance.
local function precompute(built)
    local prefixes, n = {}, 0
    for prefix in pairs(built.prefix) do
        n = n + 1
        prefixes[n] = prefix
    end
    sort(prefixes, function(a, b)
        return #a < #b
    end)
    local winners = { built.depth, false, false }
    local root = earlier(built.prefix[""] and built.prefix[""][1], built.any[1])
    winners[""] = root
    for i = 1, n do
        local prefix = prefixes[i]
        if prefix ~= "" then
            winners[prefix] =
                earlier(built.prefix[prefix][1], parent_winner(winners, prefix) or root)
        end
    end
    local exact = {}
    for path, list in pairs(built.exact) do
        exact[path] = earlier(list[1], longest_prefix(winners, path))
    end
    winners[EXACT] = next(exact) and exact or false
    winners[STARTS] = built.start_lengths[1] and start_winners(built) or false
    return winners
end

local function sorted_lengths(set)
    local lengths, n = {}, 0
    for length in pairs(set) do
        n = n + 1
        lengths[n] = length
    end
    sort(lengths, function(a, b)
        return a > b
    end)
    return lengths
end

--- Indexes the candidates of lists of bindings, each sorted by `order`, for select.lua.
---@param listener string? id of the listener that the routes inherit auth from
function _M.index(lists, listener)
    local built = new_table()
    local all = merge(lists)
    for i = 1, #all do
        local binding = all[i]
        local candidate = candidates.new(i, binding.route, listener)
        if binding.when and #binding.when > 0 then
            candidate.when = predicates.prepare(binding.when)
        end
        add(built, candidate, binding.path)
    end
    built.start_lengths = sorted_lengths(built.start_lengths)
    return built
end

--- Builds the table of a host: winners by path (prefix.lua), with a number at `DEPTH`, if the path alone decides; else
--- the index.
function _M.build(lists, listener)
    local built = _M.index(lists, listener)
    return built.simple and precompute(built) or built
end

--- Returns whether the path alone decides.
function _M.is_simple(built)
    return built[DEPTH] ~= nil
end

_M.EMPTY = _M.build({})

return _M

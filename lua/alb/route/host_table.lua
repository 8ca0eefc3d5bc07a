--- The candidates of one host, indexed by path: built once, asked on every request.
--
-- Bindings are tried in byte order of `order`; the index only skips those whose path can't match. Where no candidate
-- has further conditions (`simple`), the winner of every path is known at build time and a request is one or two table
-- reads. May yield: no. Pure but for the predicates, which read the request.
local predicates = require("alb.route.predicates")

local ngx = ngx
local str_find = string.find
local str_match = string.match
local str_sub = string.sub
local re_find = ngx.re.find
local sort = table.sort
local pairs = pairs
local math_huge = math.huge

local _M = {}

local function new_table()
    return {
        simple = true,
        exact = {},
        -- Element prefixes without trailing slash; "" is the prefix `/`. `depth` is the most elements of one.
        prefix = {},
        depth = 0,
        -- Plain string prefixes, and their lengths from long to short.
        start = {},
        start_lengths = {},
        regex = {},
        any = {},
    }
end

_M.EMPTY = new_table()

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

-- What every path that the pattern matches must begin with.
local function literal_start(pattern)
    local literal, stop = str_match(pattern, "^%^([%w/_%-~%%!@&=:,;]*)(.?)")
    if not literal then
        return ""
    end
    if str_find("?*{|", stop, 1, true) and stop ~= "" then
        return stop == "|" and "" or str_sub(literal, 1, -2)
    end
    return literal
end

-- A pattern that PCRE refuses must not leave its requests to a wider rule: what it may have matched is answered 500.
local function add_regex(built, candidate, path)
    candidate.pattern = path[2]
    candidate.flags = path[3] == "i" and "joi" or "jo"
    local _, _, err = re_find("", candidate.pattern, candidate.flags)
    if err then
        ngx.log(ngx.ERR, "albc: route ", candidate.route, ": regular expression: ", err)
        candidate.broken = true
        candidate.literal = path[3] == "i" and "" or literal_start(candidate.pattern)
    end
    built.regex[#built.regex + 1] = candidate
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
        built.simple = false
        if not built.start[path[2]] then
            built.start_lengths[#path[2]] = true
        end
        append(built.start, path[2], candidate)
    else
        built.simple = false
        add_regex(built, candidate, path)
    end
end

local function better(a, b)
    if a and (not b or a.rank < b.rank) then
        return a
    end
    return b
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

-- With no conditions left the first of a list always wins, so each path's winner can be known beforehand.
local function precompute(built)
    local prefixes, n = {}, 0
    for prefix in pairs(built.prefix) do
        n = n + 1
        prefixes[n] = prefix
    end
    sort(prefixes, function(a, b)
        return #a < #b
    end)
    local winners = {}
    local root = better(built.prefix[""] and built.prefix[""][1], built.any[1])
    winners[""] = root
    for i = 1, n do
        local prefix = prefixes[i]
        if prefix ~= "" then
            winners[prefix] = better(built.prefix[prefix][1], parent_winner(winners, prefix) or root)
        end
    end
    built.winners = winners
    local exact = {}
    for path, list in pairs(built.exact) do
        exact[path] = better(list[1], _M.longest_prefix(winners, built.depth, path))
    end
    built.exact_winners = exact
end

--- Builds the table from lists of bindings, each sorted by `order`.
function _M.build(lists)
    local built = new_table()
    local all = merge(lists)
    for i = 1, #all do
        local binding = all[i]
        local candidate = { rank = i, route = binding.route }
        if binding.when and #binding.when > 0 then
            candidate.when = predicates.prepare(binding.when)
        end
        add(built, candidate, binding.path)
    end
    local lengths, n = {}, 0
    for length in pairs(built.start_lengths) do
        n = n + 1
        lengths[n] = length
    end
    sort(lengths, function(a, b)
        return a > b
    end)
    built.start_lengths = lengths
    if built.simple then
        precompute(built)
    end
    return built
end

--- The entry of the longest element prefix of `path`; `winners[""]` when none is longer.
-- Unrolled for the usual depths: a loop here would keep LuaJIT from compiling the whole router into one trace.
function _M.longest_prefix(winners, depth, path)
    local found = winners[""]
    if depth == 0 then
        return found
    end
    local slash = str_find(path, "/", 2, true)
    if not slash then
        return winners[path] or found
    end
    found = winners[str_sub(path, 1, slash - 1)] or found
    if depth == 1 then
        return found
    end
    slash = str_find(path, "/", slash + 1, true)
    if not slash then
        return winners[path] or found
    end
    found = winners[str_sub(path, 1, slash - 1)] or found
    if depth == 2 then
        return found
    end
    slash = str_find(path, "/", slash + 1, true)
    if not slash then
        return winners[path] or found
    end
    found = winners[str_sub(path, 1, slash - 1)] or found
    if depth == 3 then
        return found
    end
    return _M.deep_prefix(winners, depth - 3, path, slash, found)
end

function _M.deep_prefix(winners, left, path, slash, found)
    for _ = 1, left do
        slash = str_find(path, "/", slash + 1, true)
        if not slash then
            return winners[path] or found
        end
        found = winners[str_sub(path, 1, slash - 1)] or found
    end
    return found
end

-- The first of a list that holds and comes before `best`.
local function first_of(list, best, best_rank)
    for i = 1, #list do
        local candidate = list[i]
        if candidate.rank > best_rank then
            return best, best_rank
        end
        if not candidate.when or predicates.hold(candidate.when) then
            return candidate, candidate.rank
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
        local holds
        if candidate.broken then
            holds = str_sub(path, 1, #candidate.literal) == candidate.literal
        else
            holds = re_find(path, candidate.pattern, candidate.flags)
        end
        if holds and (not candidate.when or predicates.hold(candidate.when)) then
            return candidate, candidate.rank
        end
    end
    return best, best_rank
end

--- The candidate for a path in a table that is not `simple`; nil when none holds.
---@param path string normalised path
function _M.select(built, path)
    predicates.start()
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

return _M

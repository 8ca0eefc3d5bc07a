--- Commits random changes of routes, auth policies and inherited auth, in the middle of lookups too, and compares what
-- a worker's index serves with the routes prepared from a table that holds all shards of the same commit.
local cjson = require("cjson")
local index = require("alb.policy.index")
local prepare = require("alb.route.prepare").prepare
local store = require("alb.policy.store")

local random = math.random

local ROUTES, AUTHS, LISTENERS = { "r1", "r2", "r3" }, { "a1", "a2", "a3" }, { "l1", "l2" }

local _M = {}

local function one_of(list)
    return list[random(#list)]
end

-- Up to two ids of auth policies, some of which are missing; nil for none.
local function some_auths()
    local list = {}
    for i = 1, random(0, 2) do
        list[i] = one_of(AUTHS)
    end
    return #list > 0 and list or nil
end

-- A shard of each map with a value that no other has.
local made = {
    auths = function(number)
        return { invalid = "auth " .. number }
    end,
    inherited = function(number)
        local refuse = random(3) == 1 and "refused " .. number or nil
        return { filters = some_auths(), policies = some_auths(), refuse = refuse }
    end,
    routes = function(number)
        local filters = random(2) == 1 and { auth = some_auths() } or nil
        local only = { upstream = "u" .. number, weight = 1, protocol = "http", filters = filters }
        return { auth = some_auths(), ownAuth = random(3) == 1 or nil, backends = { only } }
    end,
}

local keys = { auths = AUTHS, inherited = LISTENERS, routes = ROUTES }

-- Such a shard, or none any more.
local function random_change(number)
    local map = one_of({ "routes", "auths", "auths", "inherited" })
    local json = random(5) == 1 and "" or cjson.encode(made[map](number))
    return { map = map, key = one_of(keys[map]), json = json }
end

-- What a request meets of a prepared route.
local function seen(route)
    if not route then
        return "none"
    end
    local texts = { route.backends[1].upstream, tostring(route.refuse) }
    for _, holder in ipairs({ route, route.backends[1].filters }) do
        texts[#texts + 1] = "by"
        for i = 1, #holder.auths do
            texts[#texts + 1] = holder.auths[i].invalid
        end
    end
    return table.concat(texts, ", ")
end

-- The same of a route that is prepared from all shards of a commit.
local function expected(shards, id, listener)
    local get = index.get
    index.get = function(map, key)
        local json = shards[map .. "|" .. key]
        return json and cjson.decode(json)
    end
    local route = index.get("routes", id)
    if route then
        prepare(route, id, listener)
    end
    index.get = get
    return seen(route)
end

-- State of the run: all shards by the number of the commit, the number of values, whether commits come within lookups.
local commits, number, commits_within

local function list_of(shards)
    local list = {}
    for name, json in pairs(shards) do
        local map, key = name:match("^(.-)|(.*)$")
        list[#list + 1] = { map = map, key = key, json = json }
    end
    return list
end

local function commit()
    local shards, changed = {}, {}
    for name, json in pairs(commits[store.committed()]) do
        shards[name] = json
    end
    for _ = 1, random(3) do
        number = number + 1
        local change = random_change(number)
        local name = change.map .. "|" .. change.key
        changed[name] = change.json
        shards[name] = change.json ~= "" and change.json or nil
    end
    if random(20) == 1 then
        assert(store.apply_full("v" .. number, list_of(shards)))
    else
        assert(store.apply_delta("v" .. number, list_of(changed)))
    end
    commits[store.committed()] = shards
end

local function check(id, listener)
    local served = seen(index.route(id, listener))
    local wanted = expected(commits[index.seq()], id, listener)
    if served ~= wanted then
        local of = id .. " of " .. tostring(listener) .. " at " .. index.seq()
        error(of .. ": " .. served .. " instead of " .. wanted, 0)
    end
end

-- One commit and some lookups, with others in their middle; then everything, but what is left out for some rounds.
local function round()
    commit()
    commits_within = random(2) == 1
    for _ = 1, random(0, 6) do
        check(one_of(ROUTES), LISTENERS[random(3)])
    end
    commits_within = false
    index.sync()
    for i = 1, #ROUTES do
        for j = 1, #LISTENERS + 1 do
            if random(3) > 1 then
                check(ROUTES[i], LISTENERS[j])
            end
        end
    end
end

--- Returns how many commits came while a lookup prepared a route. Throws at the first difference.
function _M.run(seed, rounds)
    math.randomseed(seed)
    assert(store.apply_full("v0", {}))
    index.sync()
    commits, number = { [store.committed()] = {} }, 0
    index.prepare.routes = prepare
    local read, met = store.read, 0
    store.read = function(...)
        -- The next commit waits for every worker (src/output/data-plane.ts).
        if commits_within and random(4) == 1 and index.seq() == store.committed() then
            met = met + 1
            commit()
        end
        return read(...)
    end
    local ok, err = pcall(function()
        for _ = 1, rounds do
            round()
        end
    end)
    store.read = read
    if not ok then
        error(err, 0)
    end
    return met
end

return _M

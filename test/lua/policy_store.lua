--- Drives the policy store for tests, with a reader that stays at an older commit.
local index = require("alb.policy.index")
local protocol = require("alb.policy.protocol")
local store = require("alb.policy.store")

local _M = {}

local function changes(list)
    local out = {}
    for i = 1, #list do
        out[i] = { map = list[i][1], key = list[i][2], json = list[i][3] or "" }
    end
    return out
end

function _M.full(version, list)
    return store.apply_full(version, changes(list)) or false
end

function _M.delta(version, list)
    local ok, err = store.apply_delta(version, changes(list))
    return ok or false, err
end

function _M.committed()
    return store.committed()
end

--- Commits so many routes of which each holds the text, with a pause in which another commits: what it gave, and how
-- many pauses.
function _M.many(kind, version, count, text, other)
    local list = {}
    for i = 1, count do
        list[i] = { map = "routes", key = "r" .. i, json = '{"text":"' .. text .. '"}' }
    end
    local pauses = 0
    local function pause()
        pauses = pauses + 1
        if other and pauses == 1 then
            store.apply_full(other, { { map = "routes", key = "r1", json = '{"text":"other"}' } })
        end
    end
    local apply = kind == "full" and store.apply_full or store.apply_delta
    local ok, err = apply(version, list, pause)
    return ok or false, err or "", pauses
end

--- Begins to commit so many routes, and dies at the first pause.
function _M.die(kind, version, count)
    local list = {}
    for i = 1, count do
        list[i] = { map = "routes", key = "r" .. i, json = '{"text":"of the dead"}' }
    end
    local apply = kind == "full" and store.apply_full or store.apply_delta
    return pcall(apply, version, list, function()
        error("killed", 0)
    end)
end

--- How many values the shared memory holds.
function _M.size()
    return #ngx.shared.albc_policy:get_keys(0)
end

--- What a reader at `seq` of `epoch` reads: json or "", and whether it has to catch up.
function _M.read(epoch, seq, map, key)
    local json, behind = store.read(epoch, seq, map, key)
    return json or "", behind or false
end

--- What this worker serves of a shard, after catching up.
function _M.served(map, key)
    index.sync()
    local value = index.get(map, key)
    return value and value.text or "", index.version()
end

--- What this worker serves without being told of news: lookups have to notice by themselves.
function _M.get(map, key)
    local value = index.get(map, key)
    return value and value.text or "", index.version()
end

--- Fills the shared memory with one change that is too large.
function _M.too_large(version)
    local ok, err = store.apply_delta(version, {
        { map = "routes", key = "a", json = '{"text":"changed"}' },
        { map = "routes", key = "b", json = '{"text":"' .. ("x"):rep(64 * 1024 * 1024) .. '"}' },
    })
    return ok or false, err
end

--- Commits a change and meets it in a lookup at once, before the worker looks for news.
function _M.delta_and_get(version, list, map, key)
    store.apply_delta(version, changes(list))
    local value = index.get(map, key)
    return value and value.text or ""
end

--- What this worker last said that it serves.
function _M.reported()
    local line = ngx.shared.albc_state:get("worker\t0") or ""
    return line:match("%S*$")
end

--- Seconds until the timers of the worker serve a new commit: the mean of some, each of which may be `expected`.
function _M.delay(count, expected)
    local worker = require("alb.phases.worker")
    local sum = 0
    for i = 1, count do
        ngx.sleep(0.03)
        if expected then
            worker.expect()
            ngx.sleep(0.03)
        end
        local version = tostring(expected) .. i
        store.apply_delta(version, {})
        ngx.update_time()
        local from = ngx.now()
        while index.version() ~= version do
            ngx.sleep(0.001)
        end
        sum = sum + ngx.now() - from
    end
    return sum / count
end

--- How often the worker looks for a new commit in a second in which one is announced again and again, and none comes.
function _M.looks()
    local worker = require("alb.phases.worker")
    local sync, count = worker.sync, 0
    worker.sync = function()
        count = count + 1
        return sync()
    end
    for _ = 1, 40 do
        worker.expect()
        ngx.sleep(0.025)
    end
    worker.sync = sync
    return count
end

--- Which of these routes (id, listener) are prepared anew after the last commit, and what is wrong with their auth.
function _M.prepared(routes)
    index.sync()
    local anew, problems = {}, {}
    index.prepare.routes = function(route, id, listener)
        anew[#anew + 1] = id
        return require("alb.route.prepare").prepare(route, id, listener)
    end
    for i = 1, #routes do
        local route = index.route(routes[i][1], routes[i][2])
        problems[i] = route.auths[1].invalid
    end
    return table.concat(anew, ", "), problems
end

function _M.parse(body)
    local request, err = protocol.parse(body)
    return request and { request.from, request.to, #request.changes } or "", err
end

return _M

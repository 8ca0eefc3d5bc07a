--- What one worker has decoded of the policy, always as of one commit.
-- A shard is decoded when it is first needed. `sync` moves to the newest commit and forgets only what that changed.
-- May yield: no. Phases: any but init.
local cjson = require("cjson.safe")
local store = require("alb.policy.store")
local host_table = require("alb.route.host_table")
local host_keys = require("alb.route.host_keys")

local ngx = ngx
local ERR = ngx.ERR
local setmetatable = setmetatable

-- Hosts whose table is remembered; clients choose hosts, so the number is bounded (two generations of this size).
local MAX_HOSTS = 20000

-- Commits that may come while one shard is read; more can't come in so short a time.
local MAX_CATCH_UPS = 10

local _M = {
    --- Route id → prepared route, for those decoded so far. Read it first; `route` loads what is missing.
    routes = {},
    -- Server id → host → table of candidates.
    hosts = {},
}

local seq, epoch, version = 0, -1, ""
local shards = {}
local host_count = 0
local old_hosts = {}

-- Functions that make a decoded shard ready for the hot path, by map; set by phases/init.
local prepare = {}
_M.prepare = prepare

local function forget_hosts()
    _M.hosts, old_hosts, host_count = {}, {}, 0
end

local function forget_all()
    shards = {}
    for map in pairs(store.maps) do
        shards[map] = {}
    end
    _M.routes = shards.routes
    forget_hosts()
end

forget_all()

-- A route holds its auth policies, so that both are of one commit.
local function forget(map, key)
    shards[map][key] = nil
    if map == "auths" or map == "settings" then
        shards.routes = {}
        shards.auths = {}
        _M.routes = shards.routes
    elseif map == "servers" or map == "hosts" then
        forget_hosts()
    end
end

--- Moves to the newest commit.
---@return boolean moved
function _M.sync()
    local new_seq, new_epoch, new_version = store.committed()
    if new_seq == seq then
        return false
    end
    if new_epoch ~= epoch then
        forget_all()
    else
        for n = seq + 1, new_seq do
            local changes = store.changes(n)
            if changes == nil then
                forget_all()
                break
            end
            for i = 1, #changes do
                forget(changes[i][1], changes[i][2])
            end
        end
    end
    seq, epoch, version = new_seq, new_epoch, new_version
    return true
end

--- The version that this worker serves.
function _M.version()
    return version
end

--- Number of the commit that this worker serves; it changes when a lookup had to catch up.
function _M.seq()
    return seq
end

-- Reads, decodes and prepares one shard; preparing may read others and so move to a newer commit.
local function load(map, key)
    local json, behind = store.read(epoch, seq, map, key)
    if behind then
        _M.sync()
        return nil
    end
    if json == nil then
        return nil
    end
    local value, err = cjson.decode(json)
    if value == nil then
        ngx.log(ERR, "albc: shard ", map, " ", key, " does not decode: ", err)
        return nil
    end
    local ready = prepare[map]
    if ready then
        ready(value, key)
    end
    return value
end

--- The decoded shard, or nil. May move to a newer commit (see `seq`).
function _M.get(map, key)
    local found = shards[map][key]
    if found ~= nil then
        return found
    end
    for _ = 1, MAX_CATCH_UPS do
        local at = seq
        local value = load(map, key)
        -- What was loaded while the commit changed is of the old one, or a mixture.
        if at == seq then
            shards[map][key] = value
            return value
        end
    end
    return nil
end

local no_settings = setmetatable({}, { __newindex = error })

--- Settings that hold for all routes.
function _M.settings()
    return _M.get("settings", "-") or no_settings
end

local function find_listener(server, host)
    local listeners = server.listeners
    for i = 1, #listeners do
        if host_keys.covers(listeners[i][1], host) then
            return listeners[i][2]
        end
    end
    return nil
end

local function build(server_id, host)
    local server = _M.get("servers", server_id)
    local listener = server and find_listener(server, host)
    if not listener then
        return host_table.EMPTY
    end
    local lists, n = {}, 0
    local keys = host_keys.matching(host)
    for i = 1, #keys do
        local bindings = _M.get("hosts", listener .. "|" .. keys[i])
        if bindings then
            n = n + 1
            lists[n] = bindings
        end
    end
    return host_table.build(lists)
end

local function remember(server_id, host, built)
    host_count = host_count + 1
    if host_count > MAX_HOSTS then
        old_hosts, _M.hosts, host_count = _M.hosts, {}, 1
    end
    local by_host = _M.hosts[server_id]
    if not by_host then
        by_host = {}
        _M.hosts[server_id] = by_host
    end
    by_host[host] = built
end

--- The candidates for a host on a server; never nil. For hosts that `hosts` does not hold yet.
function _M.host(server_id, host)
    local old = old_hosts[server_id]
    local built = old and old[host]
    if not built then
        local before
        repeat
            before = seq
            built = build(server_id, host)
        until before == seq
    end
    remember(server_id, host, built)
    return built
end

--- The prepared route of an id, or nil when this commit has none.
function _M.route(id)
    return _M.get("routes", id)
end

--- The file with key and chain for a server name; nil when there is no certificate for exactly this host key.
function _M.certificate_file(server_id, host_key)
    return _M.get("certificates", server_id .. "|" .. host_key)
end

return _M

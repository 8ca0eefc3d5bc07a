--- What one worker has decoded of the policy, always as of one commit.
-- A shard is decoded when it is first needed. `sync` moves to the newest commit and forgets only what that changed.
-- May yield: no. Phases: any but init.
local cjson = require("cjson.safe")
local store = require("alb.policy.store")

local ngx = ngx
local ERR = ngx.ERR
local pairs = pairs
local setmetatable = setmetatable

-- Commits that may come while one shard is read; more can't come in so short a time.
local MAX_CATCH_UPS = 10

local _M = {}

local seq, epoch, version = 0, -1, ""
local shards = {}
-- Routes as listeners have them that they inherit auth from: by id, then by listener.
local inheriting = {}

-- Functions that make a decoded shard ready for the hot path, by map; set by phases/init.
local prepare = {}
_M.prepare = prepare

-- Told which shard of a map changed, nil for all; for those that keep more than the shards themselves.
local on_forget = {}
_M.on_forget = on_forget

local function forget_all()
    shards, inheriting = {}, {}
    for map in pairs(store.maps) do
        shards[map] = {}
    end
    for _, forgotten in pairs(on_forget) do
        forgotten(nil)
    end
end

forget_all()

-- A route holds its auth policies, so that both are of one commit.
local function forget(map, key)
    shards[map][key] = nil
    if map == "routes" then
        inheriting[key] = nil
    elseif map == "auths" or map == "settings" or map == "inherited" then
        shards.routes, inheriting = {}, {}
        shards.auths = {}
    end
    if on_forget[map] then
        on_forget[map](key)
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
local function load(map, key, listener)
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
        ready(value, key, listener)
    end
    return value
end

--- Reads a shard without keeping it. May move to a newer commit (see `seq`).
---@param listener string? that a route is made ready for
function _M.read(map, key, listener)
    for _ = 1, MAX_CATCH_UPS do
        local at = seq
        local value = load(map, key, listener)
        -- What was loaded while the commit changed is of the old one, or a mixture.
        if at == seq then
            return value
        end
    end
    return nil
end

--- The decoded shard, or nil. May move to a newer commit (see `seq`).
function _M.get(map, key)
    local found = shards[map][key]
    if found == nil then
        found = _M.read(map, key)
        shards[map][key] = found
    end
    return found
end

local no_settings = setmetatable({}, { __newindex = error })

--- Settings that hold for all routes.
function _M.settings()
    return _M.get("settings", "-") or no_settings
end

--- The prepared route of an id, or nil when this commit has none.
---@param listener string? id of the listener that it inherits auth from; what is not about auth is the same without
function _M.route(id, listener)
    if not listener then
        return _M.get("routes", id)
    end
    local of_id = inheriting[id]
    local found = of_id and of_id[listener]
    if not found then
        found = _M.read("routes", id, listener)
        of_id = inheriting[id] or {}
        inheriting[id], of_id[listener] = of_id, found
    end
    return found
end

--- The file with key and chain for a server name; nil when there is no certificate for exactly this host key.
function _M.certificate_file(server_id, host_key)
    return _M.get("certificates", server_id .. "|" .. host_key)
end

return _M

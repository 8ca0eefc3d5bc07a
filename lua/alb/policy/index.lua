--- One worker's decoded shards of the policy, always of one commit.
-- A shard is decoded when it is first needed. `sync` moves to the newest commit and forgets only the changed shards.
-- May yield: no. Phases: any but init.
local cjson = require("cjson.safe")
local store = require("alb.policy.store")

local ngx = ngx
local ERR = ngx.ERR
local pairs = pairs
local setmetatable = setmetatable

-- Attempts to read one shard while new commits arrive; more can't arrive in so short a time.
local MAX_CATCH_UPS = 10

local _M = {}

local seq, epoch, version = 0, -1, ""
local shards = {}
-- Routes that inherit auth from their listener: by id, then by listener.
local inheriting = {}

-- A shard that reads others while it is prepared, as a route reads its auth policies, contains what they say, so it is
-- forgotten with them. By map and key of what was read: the readers, a set of keys by map.
local readers = {}
-- By map and key of a reader: the sets that it is in.
local memberships = {}
-- What is being prepared.
local reader_map, reader_key

-- Functions that prepare a decoded shard for the hot path, by map; set by phases/init.
local prepare = {}
_M.prepare = prepare

-- By map: called with the key of a changed shard, nil for all; for modules that cache values derived from shards.
local on_forget = {}
_M.on_forget = on_forget

local function forget_all()
    shards, inheriting = {}, {}
    for map in pairs(store.maps) do
        shards[map], readers[map], memberships[map] = {}, {}, {}
    end
    for _, forgotten in pairs(on_forget) do
        forgotten(nil)
    end
end

forget_all()

local function note_reader(map, key)
    local of_key = readers[map][key] or {}
    readers[map][key] = of_key
    local keys = of_key[reader_map] or {}
    of_key[reader_map] = keys
    if not keys[reader_key] then
        keys[reader_key] = true
        local sets = memberships[reader_map][reader_key] or {}
        memberships[reader_map][reader_key] = sets
        sets[#sets + 1] = keys
    end
end

local function leave_sets(map, key)
    local sets = memberships[map][key] or {}
    memberships[map][key] = nil
    for i = 1, #sets do
        sets[i][key] = nil
    end
end

local function forget(map, key)
    shards[map][key] = nil
    if map == "routes" then
        inheriting[key] = nil
    end
    leave_sets(map, key)
    local of_key = readers[map][key] or {}
    readers[map][key] = nil
    for of_map, keys in pairs(of_key) do
        for reader in pairs(keys) do
            forget(of_map, reader)
        end
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

--- Number of the commit that this worker serves. A lookup can change it: it catches up if its shard is of a newer one.
function _M.seq()
    return seq
end

-- Reads, decodes and prepares one shard. Preparing may read other shards and thus move to a newer commit.
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
        local outer_map, outer_key = reader_map, reader_key
        reader_map, reader_key = map, key
        ready(value, key, listener)
        reader_map, reader_key = outer_map, outer_key
    end
    return value
end

--- Reads a shard without caching it. May move to a newer commit (see `seq`).
---@param listener string? for routes: the listener that they inherit auth from
function _M.read(map, key, listener)
    for _ = 1, MAX_CATCH_UPS do
        local at = seq
        local value = load(map, key, listener)
        -- A value loaded while the commit changed belongs to the old commit, or mixes both.
        if at == seq then
            return value
        end
    end
    return nil
end

--- The decoded shard, or nil. May move to a newer commit (see `seq`).
function _M.get(map, key)
    if reader_map then
        note_reader(map, key)
    end
    local found = shards[map][key]
    if found == nil then
        found = _M.read(map, key)
        shards[map][key] = found
    end
    return found
end

--- The shard if this worker has decoded it.
function _M.decoded(map, key)
    return shards[map][key]
end

local no_settings = setmetatable({}, { __newindex = error })

--- Settings for all routes.
function _M.settings()
    return _M.get("settings", "-") or no_settings
end

--- The prepared route of an id, or nil if this commit has none.
---@param listener string? id of the listener that it inherits auth from; it affects nothing but auth
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

--- The file with key and chain for a host key; nil if there is no certificate for exactly this key.
function _M.certificate_file(server_id, host_key)
    return _M.get("certificates", server_id .. "|" .. host_key)
end

return _M

--- The policy shared by all workers: each shard is a key of a shared dictionary, each change is a numbered commit.
--
-- A worker reads a shard when it first needs it. No worker sees half a change: a value carries the number of the commit
-- that wrote it, and the previous value stays readable until the next commit. A worker at an older commit either reads
-- the previous value, or has to catch up first.
--
-- A policy of thousands of shards is written in parts; in the `pause` between two parts the worker serves requests,
-- which read the policy in the middle of the commit. A caller that commits with pauses must exclude other writers. If a
-- writer dies, its mark UNFINISHED remains, and only a whole policy is accepted, which doesn't depend on the old one.
-- May yield: only in the `pause` argument. Phases: any.
local protocol = require("alb.policy.protocol")

local ngx = ngx
local str_find = string.find
local str_sub = string.sub
local concat = table.concat
local tonumber = tonumber

local TAB = "\t"
-- Shards written between two pauses; they take one to two milliseconds.
local BATCH = 200
-- Commits that a worker may be behind before it has to forget everything.
local LOG_LENGTH = 64

-- Key in the shared state: the epoch of a commit that has begun and not ended.
local UNFINISHED = "unfinished"
-- Bytes of the longest log that a worker reads: hundreds of keys.
local LONGEST_LOG = 32768

local policy = ngx.shared.albc_policy
local state = ngx.shared.albc_state

local _M = {}

--- The maps of policy.json whose entries are shards.
_M.maps = protocol.maps

--- The last commit: `seq, epoch, version`; 0 before the first.
function _M.committed()
    return state:get("seq") or 0, state:get("epoch") or 0, state:get("version") or ""
end

local function dict_key(epoch, map, key)
    return epoch .. TAB .. map .. TAB .. key
end

local function split_value(value)
    local tab = str_find(value, TAB, 1, true)
    return tonumber(str_sub(value, 1, tab - 1)), str_sub(value, tab + 1)
end

--- The JSON text of a shard at commit `seq`.
---@return string? json nil if there is no such shard
---@return boolean? behind true if a newer commit has replaced it: catch up and read again
function _M.read(epoch, seq, map, key)
    local full = dict_key(epoch, map, key)
    local value = policy:get(full)
    if value == nil then
        -- Either it never existed, or its whole epoch was dropped and this worker is behind.
        return nil, (state:get("epoch") or 0) ~= epoch
    end
    local written, json = split_value(value)
    if written <= seq then
        return json ~= "" and json or nil
    end
    if (state:get("seq") or 0) >= written then
        return nil, true
    end
    -- Another process is writing this commit: the previous value is still valid.
    value = policy:get("p" .. TAB .. full)
    if value == nil then
        return nil
    end
    local _, previous = split_value(value)
    return previous ~= "" and previous or nil
end

--- Whether the committed policy has a shard, without copying it. A removed one is there until the next commit.
function _M.has(map, key)
    return policy:ttl(dict_key(state:get("epoch") or 0, map, key)) ~= nil
end

local function rest(pause, i)
    if pause and i % BATCH == 0 then
        pause()
    end
end

-- Calls `visit` with map and key of each line of a log.
local function each_change(log, visit)
    local n, pos = 0, 1
    while pos <= #log do
        local tab = str_find(log, TAB, pos, true)
        local eol = str_find(log, "\n", tab, true)
        n = n + 1
        visit(str_sub(log, pos, tab - 1), str_sub(log, tab + 1, eol - 1), n)
        pos = eol + 1
    end
end

--- Keys that changed in commit `seq`, as `{map, key}` pairs; nil if the log is gone, or so long that forgetting
--- everything is quicker.
function _M.changes(seq)
    local log = state:get("log" .. TAB .. seq)
    if log == nil or #log > LONGEST_LOG then
        return nil
    end
    local list = {}
    each_change(log, function(map, key, n)
        list[n] = { map, key }
    end)
    return list
end

local function drop_previous(seq, pause)
    local log = state:get("log" .. TAB .. seq)
    if log == nil then
        return
    end
    local epoch = state:get("epoch") or 0
    each_change(log, function(map, key, n)
        local full = dict_key(epoch, map, key)
        policy:delete("p" .. TAB .. full)
        local value = policy:get(full)
        if value ~= nil and str_sub(value, -1) == TAB then
            policy:delete(full)
        end
        rest(pause, n)
    end)
end

local function finished(epoch)
    if state:get(UNFINISHED) == epoch then
        state:delete(UNFINISHED)
    end
end

local function undo(seq, epoch, changes, last)
    for i = 1, last do
        local full = dict_key(epoch, changes[i].map, changes[i].key)
        local previous = policy:get("p" .. TAB .. full)
        local value = policy:get(full)
        -- If a new value did not fit, the dictionary has already removed the old one.
        if value == nil or split_value(value) == seq then
            policy:delete(full)
            if previous ~= nil then
                policy:safe_set(full, previous)
            end
        end
        policy:delete("p" .. TAB .. full)
    end
    finished(epoch)
end

local function commit(seq, epoch, version, log)
    state:set("log" .. TAB .. seq, log)
    state:delete("log" .. TAB .. (seq - LOG_LENGTH))
    state:set("version", version)
    state:set("epoch", epoch)
    -- Last, because the workers poll it.
    state:set("seq", seq)
end

--- Applies changed shards to the committed policy, all or nothing.
---@param pause function? called regularly; may yield
---@return boolean? ok
---@return string? err "no memory", "overtaken" by another commit during a pause, or the last commit is "unfinished"
function _M.apply_delta(to, changes, pause)
    local seq, epoch = _M.committed()
    if not state:add(UNFINISHED, epoch) then
        return nil, "unfinished"
    end
    drop_previous(seq, pause)
    seq = seq + 1
    local log, n = {}, 0
    for i = 1, #changes do
        local change = changes[i]
        local full = dict_key(epoch, change.map, change.key)
        local old = policy:get(full)
        local ok = true
        if old ~= nil then
            ok = policy:safe_set("p" .. TAB .. full, old)
        end
        ok = ok and policy:safe_set(full, seq .. TAB .. change.json)
        if not ok then
            undo(seq, epoch, changes, i)
            return nil, "no memory"
        end
        n = n + 1
        log[n] = change.map .. TAB .. change.key .. "\n"
        rest(pause, i)
    end
    if _M.committed() ~= seq - 1 then
        undo(seq, epoch, changes, #changes)
        return nil, "overtaken"
    end
    commit(seq, epoch, to, concat(log))
    finished(epoch)
    return true
end

local function is_of(epoch, key)
    local prefix = epoch .. TAB
    return str_sub(key, 1, #prefix) == prefix
        or str_sub(key, 1, #prefix + 2) == "p" .. TAB .. prefix
end

-- All readers wait while the dictionary lists keys, so each list is short; it has the least recently used keys. Reading
-- a key that is kept moves it behind all others. `kept`: the number of keys of other epochs.
local function drop_epoch(epoch, kept, pause)
    local looks, first = 0, nil
    repeat
        local keys = policy:get_keys(BATCH)
        for i = 1, #keys do
            local key = keys[i]
            if is_of(epoch, key) then
                policy:delete(key)
            elseif key == first then
                return
            else
                policy:get(key)
                first = first or key
                looks = looks + 1
            end
        end
        rest(pause, BATCH)
    until #keys == 0 or looks > 2 * kept
end

--- Replaces the whole policy, all or nothing.
---@param pause function? called regularly; may yield
---@return boolean? ok
---@return string? err "no memory", or "overtaken" by another commit during a pause
function _M.apply_full(to, changes, pause)
    local seq, old_epoch = _M.committed()
    seq = seq + 1
    -- A unique number: the master may load policy.json during a pause.
    local epoch = state:incr("epochs", 1, old_epoch)
    local abandoned = state:get(UNFINISHED)
    state:set(UNFINISHED, epoch)
    for i = 1, #changes do
        local change = changes[i]
        if
            not policy:safe_set(dict_key(epoch, change.map, change.key), seq .. TAB .. change.json)
        then
            drop_epoch(epoch, BATCH + i, pause)
            finished(epoch)
            return nil, "no memory"
        end
        rest(pause, i)
    end
    if _M.committed() ~= seq - 1 then
        drop_epoch(epoch, BATCH + #changes, pause)
        finished(epoch)
        return nil, "overtaken"
    end
    -- An empty log would mean "nothing changed"; without a log the workers forget everything.
    state:delete("log" .. TAB .. seq)
    state:set("version", to)
    state:set("epoch", epoch)
    state:set("seq", seq)
    finished(epoch)
    drop_epoch(old_epoch, #changes, pause)
    if abandoned and abandoned ~= old_epoch then
        drop_epoch(abandoned, #changes, pause)
    end
    return true
end

return _M

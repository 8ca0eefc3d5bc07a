--- What the workers tell each other of outages (outages.lua): a shared dictionary with an entry for each outage, the
-- number of changes, and the key of each recent change. It survives reloads. If it is full, later workers miss outages.
-- May yield: no. Phases: any but init.
local ngx = ngx
local dict = ngx.shared.albc_outages
local str_find = string.find
local str_format = string.format
local str_match = string.match
local str_sub = string.sub
local tonumber = tonumber

local _M = {
    --- Seconds for which a returned endpoint is remembered.
    REMEMBERED = 60,
}

local REMEMBERED = _M.REMEMBERED
-- Changes that a worker reads one by one; it reads everything if there are more.
local MOST_CHANGES = 200
-- Keys of the dictionary: the number of changes, and the beginnings of those of a change, an outage and a probe.
local CHANGES, CHANGE, ENTRY, PROBE = "changes", "c\t", "e\t", "p\t"
-- The same of counts, by upstream and reason.
local COUNT = "n\t"

-- Number of changes that this worker has read.
local seen = 0

local function key_of(id, endpoint)
    return id .. "\t" .. endpoint
end

--- Keeps an entry whose next probe is later than it was.
---@param entry table of outages.lua
function _M.defer(id, endpoint, entry)
    local state = entry.is_out and 1 or 0
    local text =
        str_format("%d %.3f %.3f %d %s", state, entry.since, entry.due, entry.wait, entry.reason)
    dict:set(ENTRY .. key_of(id, endpoint), text, entry.is_out and 0 or REMEMBERED)
end

--- Keeps an entry and tells other workers.
---@param entry table of outages.lua
function _M.put(id, endpoint, entry)
    _M.defer(id, endpoint, entry)
    local key = key_of(id, endpoint)
    dict:set(CHANGE .. (dict:incr(CHANGES, 1, 0) or 0), key, REMEMBERED)
end

--- Forgets an outage; each worker finds out by itself that its endpoint is gone.
function _M.delete(id, endpoint)
    dict:delete(ENTRY .. key_of(id, endpoint))
end

--- When the next probe of an outage is due, as the last worker that probed it says.
---@return number?
function _M.due(id, endpoint)
    local text = dict:get(ENTRY .. key_of(id, endpoint)) or ""
    return tonumber(str_match(text, "^%d %S+ (%S+)"))
end

local function read(key, visit)
    local id, endpoint = str_match(key, "^(.*)\t(.*)$")
    local text = dict:get(ENTRY .. key) or ""
    local state, since, due, wait, reason = str_match(text, "^(%d) (%S+) (%S+) (%S+) (.*)$")
    if state then
        visit(id, endpoint, {
            is_out = state == "1",
            since = tonumber(since),
            due = tonumber(due),
            wait = tonumber(wait),
            reason = reason,
        })
    end
end

-- Calls `visit` with what follows `prefix` in each key.
local function each_key(prefix, visit)
    local keys = dict:get_keys(0)
    for i = 1, #keys do
        if str_find(keys[i], prefix, 1, true) == 1 then
            visit(str_sub(keys[i], #prefix + 1))
        end
    end
end

local function read_all(visit)
    each_key(ENTRY, function(key)
        read(key, visit)
    end)
end

--- Counts an outage.
function _M.count(id, reason)
    dict:incr(COUNT .. id .. "\t" .. reason, 1, 0)
end

--- Outages since nginx was started, by `<upstream>\t<reason>`.
---@return table<string, integer>
function _M.counts()
    local counts = {}
    each_key(COUNT, function(key)
        counts[key] = dict:get(COUNT .. key)
    end)
    return counts
end

--- Calls `visit` with id, endpoint and entry of each change since the last call.
function _M.read_changes(visit)
    local last = dict:get(CHANGES) or 0
    if last == seen then
        return
    end
    local first = seen + 1
    seen = last
    if last < first or last - first > MOST_CHANGES then
        return read_all(visit)
    end
    for n = first, last do
        local key = dict:get(CHANGE .. n)
        if key then
            read(key, visit)
        end
    end
end

--- Whether this worker is to probe the endpoint.
---@param seconds number for which no other worker is
function _M.claim_probe(id, endpoint, seconds)
    return dict:add(PROBE .. key_of(id, endpoint), true, seconds)
end

return _M

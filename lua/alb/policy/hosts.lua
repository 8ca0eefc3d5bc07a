--- The table of each host, built at the first request for the host.
--
-- Clients choose hosts, so the memory for them is bounded: hosts that no binding names share the tables of the
-- wildcards that cover them, and the number of remembered hosts is limited.
-- May yield: no. Phases: access.
local host_keys = require("alb.route.host_keys")
local host_table = require("alb.route.host_table")
local index = require("alb.policy.index")
local listeners = require("alb.policy.listeners")

local concat = table.concat
local pairs = pairs
local str_byte = string.byte
local str_match = string.match

local ASTERISK = 42
-- Host key of bindings for hosts that no other binding of the listener names.
local UNNAMED = "?"

-- Number of remembered hosts in each of two generations.
local MAX_HOSTS = 20000

local _M = {
    --- Server id → host → table, for hosts requested so far. Read it first; `find` builds a missing table.
    tables = {},
}

local count = 0
local older = {}
-- Tables by listener and the wildcards that cover a host.
local shared = {}

local function forget_all()
    _M.tables, older, count, shared = {}, {}, 0, {}
end

local function forget_host(host)
    for _, by_host in pairs(_M.tables) do
        by_host[host] = nil
    end
    for _, by_host in pairs(older) do
        by_host[host] = nil
    end
end

index.on_forget.servers = forget_all

index.on_forget.matches = forget_all

index.on_forget.inherited = forget_all

function index.on_forget.hosts(key)
    local host = key and str_match(key, "|([^|]*)$") or ""
    if host == "" or host == UNNAMED or str_byte(host) == ASTERISK then
        forget_all()
    else
        forget_host(host)
    end
end

-- Expands a reference to shared bindings into the bindings of one host.
local function ranked(reference)
    local matches = index.get("matches", reference.matches) or {}
    local list = {}
    for i = 1, #matches do
        local binding = matches[i]
        list[i] = {
            order = reference.order .. binding.order,
            route = binding.route,
            path = binding.path,
            when = binding.when,
        }
    end
    return list
end

-- Adds the bindings of a shard to the lists. Each list is in byte order of `order`.
local function add(shard, lists)
    local own, n = {}, 0
    for i = 1, #shard do
        if shard[i].matches then
            lists[#lists + 1] = ranked(shard[i])
        else
            n = n + 1
            own[n] = shard[i]
        end
    end
    lists[#lists + 1] = n > 0 and own or nil
end

-- Bindings of the wildcards that cover a host in all tables of a listener, a key for this set of lists, and whether a
-- wildcard is among them. If the listener is `apart`, bindings without a host are left out for hosts that others name.
local function matching(listener, host, is_named)
    local keys = host_keys.matching(host)
    local lists, names, is_covered = {}, { listener[2] }, false
    for j = 2, #keys do
        if keys[j] == "" then
            is_covered = #lists > 0
            if listener.apart and (is_named or is_covered) then
                break
            end
        end
        for i = 2, #listener do
            local shard = index.get("hosts", listener[i] .. "|" .. keys[j])
            if shard then
                add(shard, lists)
                names[#names + 1] = i .. keys[j]
            end
        end
    end
    return lists, concat(names, "|"), is_covered
end

-- Adds the bindings of exactly this host. Their shards are not cached, because nothing else uses them.
local function add_own(listener, host, lists)
    local found = false
    for i = 2, #listener do
        local shard = host ~= "" and index.read("hosts", listener[i] .. "|" .. host)
        if shard then
            add(shard, lists)
            found = true
        end
    end
    return found
end

local function add_unnamed(listener, lists)
    for i = 2, #listener do
        local shard = index.get("hosts", listener[i] .. "|" .. UNNAMED)
        if shard then
            add(shard, lists)
        end
    end
end

local function build(server_id, host)
    local server = index.get("servers", server_id)
    local listener = server and listeners.find(server, host)
    if not listener then
        return host_table.EMPTY
    end
    local inherits = index.get("inherited", listener[2]) and listener[2]
    local own = {}
    local is_named = add_own(listener, host, own)
    local lists, name, is_covered = matching(listener, host, is_named)
    if is_named then
        for i = 1, #own do
            lists[#lists + 1] = own[i]
        end
        return host_table.build(lists, inherits)
    end
    if not is_covered then
        add_unnamed(listener, lists)
    end
    shared[name] = shared[name] or host_table.build(lists, inherits)
    return shared[name]
end

local function remember(server_id, host, built)
    count = count + 1
    if count > MAX_HOSTS then
        older, _M.tables, count = _M.tables, {}, 1
    end
    local by_host = _M.tables[server_id]
    if not by_host then
        by_host = {}
        _M.tables[server_id] = by_host
    end
    by_host[host] = built
end

local function build_consistent(server_id, host)
    while true do
        local at = index.seq()
        local built = build(server_id, host)
        if at == index.seq() then
            return built
        end
        -- A table built while the commit changed mixes two commits.
        shared = {}
    end
end

--- The table of a canonical host that is missing in `tables`; never nil. May move to a newer commit (see index.seq).
function _M.find(server_id, host)
    local by_host = older[server_id]
    local built = by_host and by_host[host] or build_consistent(server_id, host)
    remember(server_id, host, built)
    return built
end

return _M

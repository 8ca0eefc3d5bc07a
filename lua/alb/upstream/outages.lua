--- Remembers endpoints that can't be reached, so that requests go to the others of their upstream.
--
-- An endpoint whose connection fails is out until a probe connects to it (probes.lua). So is one that ends a connection
-- before a response begins, if another endpoint answers the same request: else the request may be at fault. If an
-- endpoint fails again within REMEMBERED seconds after its return, the time before the first probe doubles. If all
-- endpoints of an upstream are out, all get requests.
--
-- The key contains the upstream, so another tenant's upstream with the same address is not concerned. What a change
-- costs doesn't grow with the number of outages: positions are changed one by one.
-- Each worker has all outages in its own tables; shared_outages.lua brings what one learns to the others.
-- May yield: no. Phases: any but init.
local index = require("alb.policy.index")
local shared = require("alb.upstream.shared_outages")

local ngx = ngx
local now = ngx.now
local max, min = math.max, math.min
local next, pairs = next, pairs
local str_format = string.format
local str_match = string.match
local tonumber = tonumber

local _M = {
    --- What the first try of a request may wait for its connection, in seconds, if there is another endpoint, and what
    --- every other try may, as in nginx.conf: for routes without a connect timeout of their own.
    BRIEF = 1,
    WHOLE = 5,
    --- What a try must have waited, in seconds, for its timeout to count: its request's deadline may end it sooner.
    WAITED = 0.9,
}

-- Seconds before the first probe of an outage: at first, and at most. Also the limits of the time between two probes.
local SHORTEST, LONGEST = 1, 30
-- The part of an outage's age that passes before the next probe.
local PART = 5
-- Log lines of a namespace that a worker writes within LOG_TIME seconds.
local MOST_LINES, LOG_TIME = 10, 10
local REMEMBERED = shared.REMEMBERED
-- Outages of a namespace that are remembered: thousands would cost every worker time, whosever they are.
local MOST = 256

-- By upstream id and `address:port`: { is_out, since, due, wait, reason }.
local entries = {}
-- The same of endpoints that this worker suspects (stalls.lua), as a set.
local suspects = {}
local none = {}
-- By namespace: how many entries it has.
local sizes = {}

local function namespace_of(id)
    return str_match(id, "^[^/]*")
end

-- By namespace: how many lines it has had since `lines_since`.
local lines, lines_since = {}, 0

local function log_line(id, endpoint, what)
    if now() - lines_since > LOG_TIME then
        lines, lines_since = {}, now()
    end
    local namespace = namespace_of(id)
    lines[namespace] = (lines[namespace] or 0) + 1
    if lines[namespace] <= MOST_LINES then
        ngx.log(ngx.WARN, "albc: endpoint ", endpoint, " of ", id, what)
    end
end

local function forget(id, endpoint)
    local of_id, namespace = entries[id], namespace_of(id)
    if not of_id or not of_id[endpoint] then
        return
    end
    of_id[endpoint], sizes[namespace] = nil, sizes[namespace] - 1
    if next(of_id) == nil then
        entries[id] = nil
    end
    shared.delete(id, endpoint)
end

local function is_out(id, endpoint)
    local entry = entries[id] and entries[id][endpoint]
    return entry ~= nil and entry.is_out or (suspects[id] or none)[endpoint] ~= nil
end

-- What follows from the set of positions.
local function conclude(upstream)
    local living = upstream.count - upstream.out_count
    upstream.brief = living > 1
    upstream.out = upstream.out_count > 0 and living > 0 and upstream.out_set or nil
end

-- Positions of endpoints, by endpoint: one look at each endpoint of the upstream, and no text made of it.
local function find(upstream, wanted)
    local ports, positions = {}, {}
    for endpoint in pairs(wanted) do
        local address, port = str_match(endpoint, "^(.*):(%d+)$")
        ports[address] = ports[address] or {}
        ports[address][tonumber(port)] = endpoint
    end
    for i = 1, upstream.count do
        local of_address = ports[upstream[2 * i - 1]]
        local endpoint = of_address and of_address[upstream[2 * i]]
        if endpoint then
            positions[endpoint] = i
        end
    end
    return positions
end

local function mark(upstream, position, out)
    local set = upstream.out_set
    if (set[position] ~= nil) ~= out then
        set[position] = out or nil
        upstream.out_count = upstream.out_count + (out and 1 or -1)
    end
end

-- Writes the states of endpoints into their upstream, if that is decoded.
local function apply_some(id, endpoints)
    local upstream = index.decoded("upstreams", id)
    if upstream and upstream.out_set then
        for endpoint, position in pairs(find(upstream, endpoints)) do
            mark(upstream, position, is_out(id, endpoint))
        end
        conclude(upstream)
    end
end

--- Writes the outages into an upstream that is being prepared, and forgets endpoints that it doesn't have. `out`: the
--- positions that get no requests, nil if all get them; `brief`: whether a try that fails leaves another endpoint that
--- may be reached.
function _M.apply(upstream)
    local id, of_id = upstream.id, entries[upstream.id] or none
    upstream.out_set, upstream.out_count = {}, 0
    local positions = find(upstream, of_id)
    for endpoint, entry in pairs(of_id) do
        if positions[endpoint] then
            mark(upstream, positions[endpoint], entry.is_out)
        else
            forget(id, endpoint)
        end
    end
    for _, position in pairs(find(upstream, suspects[id] or none)) do
        mark(upstream, position, true)
    end
    conclude(upstream)
end

-- By upstream id: the endpoints whose entries have changed since the last `apply_changed`.
local changed = {}

local function take(id, endpoint, entry)
    local of_id, namespace = entries[id] or {}, namespace_of(id)
    if not of_id[endpoint] then
        sizes[namespace] = (sizes[namespace] or 0) + 1
    end
    entries[id], of_id[endpoint] = of_id, entry
    changed[id] = changed[id] or {}
    changed[id][endpoint] = true
end

local function apply_changed()
    if next(changed) then
        for id, endpoints in pairs(changed) do
            apply_some(id, endpoints)
        end
        changed = {}
    end
end

local function write(id, endpoint, entry)
    shared.put(id, endpoint, entry)
    take(id, endpoint, entry)
    apply_changed()
end

--- Learns what other workers have learnt.
function _M.sync()
    shared.read_changes(take)
    apply_changed()
end

--- Forgets the endpoints that the committed policy doesn't have: upstreams that changed are prepared again.
function _M.prune()
    for id, of_id in pairs(entries) do
        if not index.get("upstreams", id) then
            for endpoint in pairs(of_id) do
                forget(id, endpoint)
            end
        end
    end
end

local function is_full(id)
    return (sizes[namespace_of(id)] or 0) >= MOST
end

local function new_entry(before, reason, probe_now)
    local wait, time = before and before.wait or SHORTEST, now()
    if before and not probe_now then
        wait = min(2 * wait, LONGEST)
    end
    local due = probe_now and time or time + wait
    return { is_out = true, since = time, due = due, wait = wait, reason = reason }
end

--- Learns that an endpoint can't be reached.
---@param upstream table prepared
---@param endpoint string `address:port`, IPv6 in brackets
---@param reason string
---@param probe_now boolean? whether the endpoint may well be reachable
function _M.failed(upstream, endpoint, reason, probe_now)
    if upstream.count < 2 then
        return
    end
    -- Another worker may know it already.
    _M.sync()
    local id = upstream.id
    local before = entries[id] and entries[id][endpoint]
    if before and before.is_out or not before and is_full(id) then
        return
    end
    log_line(id, endpoint, " is left out: " .. reason)
    shared.count(id, reason)
    write(id, endpoint, new_entry(before, reason, probe_now))
end

local function without(set, others)
    local rest = {}
    for key in pairs(set) do
        rest[key] = others[key] == nil or nil
    end
    return rest
end

--- Replaces the endpoints that this worker suspects, and that get none of its requests.
---@param found table<string, table<string, any>> by upstream id and endpoint
function _M.suspect(found)
    local before = suspects
    suspects = found
    for id, endpoints in pairs(before) do
        apply_some(id, without(endpoints, found[id] or none))
    end
    for id, endpoints in pairs(found) do
        apply_some(id, without(endpoints, before[id] or none))
    end
end

--- Learns the outcome of a probe.
---@param began number
---@param is_connected boolean
function _M.probed(id, endpoint, began, is_connected)
    local before = entries[id] and entries[id][endpoint]
    if not before or not before.is_out then
        return
    end
    local time = now()
    local age, wait, reason = time - before.since, before.wait, before.reason
    if not is_connected then
        before.due = began + max(SHORTEST, min(age / PART, LONGEST))
        return shared.defer(id, endpoint, before)
    end
    log_line(id, endpoint, str_format(" is back after %.1f s", age))
    write(id, endpoint, { is_out = false, since = time, due = time, wait = wait, reason = reason })
end

--- The endpoints that are out, at most as many as `most`, and their number by upstream id.
---@return { upstream: string, endpoint: string, reason: string, since: number }[]
---@return table<string, integer>
function _M.list(most)
    local list, numbers = {}, {}
    for id, of_id in pairs(entries) do
        for endpoint, entry in pairs(of_id) do
            if entry.is_out then
                numbers[id] = (numbers[id] or 0) + 1
                if #list < most then
                    local reason, since = entry.reason, entry.since
                    list[#list + 1] =
                        { upstream = id, endpoint = endpoint, reason = reason, since = since }
                end
            end
        end
    end
    return list, numbers
end

--- Whether the endpoint at a position is out since less than LONGEST seconds.
function _M.is_short(upstream, position)
    local endpoint = upstream[2 * position - 1] .. ":" .. upstream[2 * position]
    local entry = entries[upstream.id] and entries[upstream.id][endpoint]
    return entry ~= nil and entry.is_out and now() - entry.since < LONGEST
end

--- The probes that are due: by namespace, lists of `{ id, endpoint }`.
function _M.due()
    local due, time = {}, now()
    for id, of_id in pairs(entries) do
        local namespace = namespace_of(id)
        for endpoint, entry in pairs(of_id) do
            if entry.is_out and entry.due <= time then
                -- Another worker may have probed it.
                entry.due = shared.due(id, endpoint) or entry.due
                if entry.due <= time then
                    local list = due[namespace] or {}
                    due[namespace] = list
                    list[#list + 1] = { id, endpoint }
                end
            elseif not entry.is_out and time - entry.since > REMEMBERED then
                forget(id, endpoint)
            end
        end
    end
    return due
end

return _M

--- Remembers endpoints that can't be reached, so that requests go to the others of their upstream.
--
-- An endpoint whose connection fails, or ends before a response begins, is out until a probe connects to it
-- (probes.lua). If it fails again within REMEMBERED seconds after its return, the time before the first probe doubles.
-- If all endpoints of an upstream are out, all get requests. The key contains the upstream, because another tenant's
-- upstream may have the same address and a protocol that fails there.
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

local _M = {
    --- What the first try of a request may wait for its connection, in seconds, if there is another endpoint, and what
    --- every other try may, as in nginx.conf: for routes without a connect timeout of their own.
    BRIEF = 1,
    WHOLE = 5,
}

-- Seconds before the first probe of an outage: at first, and at most. Also the limits of the time between two probes.
local SHORTEST, LONGEST = 1, 30
-- The part of an outage's age that passes before the next probe.
local PART = 5
-- Log lines of a worker within LOG_TIME seconds.
local MOST_LINES, LOG_TIME = 10, 10
local REMEMBERED = shared.REMEMBERED

-- By upstream id and `address:port`: { is_out, since, due, wait, reason }.
local entries = {}
-- The same of endpoints that this worker doubts (stalls.lua), as a set.
local suspects = {}
local none = {}

local lines, lines_since = 0, 0

local function log_line(...)
    if now() - lines_since > LOG_TIME then
        lines, lines_since = 0, now()
    end
    lines = lines + 1
    if lines <= MOST_LINES then
        ngx.log(ngx.WARN, "albc: endpoint ", ...)
    end
end

local function forget(id, endpoint)
    local of_id = entries[id]
    of_id[endpoint] = nil
    if next(of_id) == nil then
        entries[id] = nil
    end
    shared.delete(id, endpoint)
end

local function positions_of(upstream)
    local positions = {}
    for i = 1, upstream.count do
        positions[upstream[2 * i - 1] .. ":" .. upstream[2 * i]] = i
    end
    return positions
end

-- Forgets endpoints that the upstream doesn't have.
local function drop_gone(upstream, of_id)
    for endpoint in pairs(of_id) do
        if not upstream.positions[endpoint] then
            forget(upstream.id, endpoint)
        end
    end
end

-- Positions of the endpoints that get no requests.
local function find_out(upstream)
    local id, positions, out = upstream.id, upstream.positions, {}
    for endpoint, entry in pairs(entries[id] or none) do
        if entry.is_out then
            out[positions[endpoint]] = true
        end
    end
    for endpoint in pairs(suspects[id] or none) do
        out[positions[endpoint] or 0] = true
    end
    return out
end

-- By position: the next living one; and how many live.
local function follow(count, out)
    local following, living, next_one = {}, 0, 0
    for i = 2 * count, 1, -1 do
        local position = (i - 1) % count + 1
        following[position] = next_one
        if not out[position] then
            next_one = position
            living = i > count and living + 1 or living
        end
    end
    following[0] = next_one
    return following, living
end

--- Writes the outages into a prepared upstream. `out`: nil if all endpoints get requests, `brief`: whether a try that
--- fails leaves another endpoint that may be reached.
function _M.apply(upstream)
    local id, count = upstream.id, upstream.count
    upstream.out, upstream.brief = nil, count > 1
    if not entries[id] and not suspects[id] then
        return
    end
    upstream.positions = upstream.positions or positions_of(upstream)
    drop_gone(upstream, entries[id] or none)
    local out = find_out(upstream)
    local following, living = follow(count, out)
    upstream.brief = living > 1
    if living > 0 and living < count then
        upstream.out = { positions = out, following = following }
    end
end

local function apply_to(id)
    local upstream = index.get("upstreams", id)
    if upstream then
        return _M.apply(upstream)
    end
    for endpoint in pairs(entries[id] or none) do
        forget(id, endpoint)
    end
end

local function take(id, endpoint, entry)
    local of_id = entries[id] or {}
    entries[id], of_id[endpoint] = of_id, entry
    apply_to(id)
end

local function write(id, endpoint, entry)
    shared.put(id, endpoint, entry)
    take(id, endpoint, entry)
end

--- Learns what other workers have learnt.
function _M.sync()
    shared.read_changes(take)
end

--- Forgets the endpoints that the committed policy doesn't have.
function _M.prune()
    for id in pairs(entries) do
        apply_to(id)
    end
end

--- Learns that an endpoint failed.
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
    if before and before.is_out then
        return
    end
    local wait, time = before and before.wait or SHORTEST, now()
    if before and not probe_now then
        wait = min(2 * wait, LONGEST)
    end
    log_line(endpoint, " of ", id, " is left out: ", reason)
    shared.count(id, reason)
    write(id, endpoint, {
        is_out = true,
        since = time,
        due = probe_now and time or time + wait,
        wait = wait,
        reason = reason,
    })
end

local function is_same_set(a, b)
    for key in pairs(a) do
        if not b[key] then
            return false
        end
    end
    for key in pairs(b) do
        if not a[key] then
            return false
        end
    end
    return true
end

--- Replaces the endpoints that this worker doubts, and that get none of its requests.
---@param found table<string, table<string, any>> by upstream id and endpoint
function _M.suspect(found)
    local before = suspects
    suspects = found
    for id in pairs(before) do
        if not found[id] then
            apply_to(id)
        end
    end
    for id, endpoints in pairs(found) do
        if not is_same_set(endpoints, before[id] or none) then
            apply_to(id)
        end
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
    local age = time - before.since
    if is_connected then
        log_line(endpoint, " of ", id, str_format(" is back after %.1f s", age))
    end
    write(id, endpoint, {
        is_out = not is_connected,
        since = is_connected and time or before.since,
        due = began + max(SHORTEST, min(age / PART, LONGEST)),
        wait = before.wait,
        reason = before.reason,
    })
end

local function found_as(id, endpoint, entry)
    return { upstream = id, endpoint = endpoint, reason = entry.reason, since = entry.since }
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
                    list[#list + 1] = found_as(id, endpoint, entry)
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
        local namespace = str_match(id, "^[^/]*")
        for endpoint, entry in pairs(of_id) do
            if entry.is_out and entry.due <= time then
                local list = due[namespace] or {}
                due[namespace] = list
                list[#list + 1] = { id, endpoint }
            elseif not entry.is_out and time - entry.since > REMEMBERED then
                forget(id, endpoint)
            end
        end
    end
    return due
end

return _M

--- Counts responses, auth outcomes and answers of auth services. `GET /counters` of the control socket returns the sums
-- of all workers.
--
-- A request costs a few additions to numbers of this worker. The worker's timer adds them to a dictionary that all
-- workers share and that survives reloads. A worker that drains has no timer, so it adds each request at once.
-- May yield: no. Phases: response in header_filter; auth and answers in access; flush in timer and content.
local reasons = require("alb.reasons")
local rows = require("alb.rows")

local ngx = ngx
local now = ngx.now
local start_time = ngx.req.start_time
local floor = math.floor
local pairs = pairs
local sort = table.sort
local str_find = string.find
local str_match = string.match
local str_sub = string.sub
local tonumber = tonumber

local shared = ngx.shared.albc_counters
local add_to_row = rows.add

local _M = {
    --- Outcomes of checks, in the order of the columns of a row (rows.lua).
    OUTCOMES = { "passed", "signin", "timeout", "body_too_large", "other" },
}

-- Upper bounds of the histogram's buckets in milliseconds; the last bucket has none.
local BOUNDS = { 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000 }
local LAST = #BOUNDS + 1
-- Bucket by whole milliseconds: with a loop over the bounds, LuaJIT would not compile the code around it.
local BUCKET_OF = {}
for bucket = 1, #BOUNDS do
    for time = (BOUNDS[bucket - 1] or -1) + 1, BOUNDS[bucket] do
        BUCKET_OF[time] = bucket
    end
end

-- Keys of the dictionary: a letter, a tab, then a status, bucket or outcome.
local CODE, BUCKET, TIME, AUTH, ANSWER = "c\t", "b\t", "t\t", "a\t", "n\t"

local codes, buckets, auths = {}, {}, {}
local answers = { known = 0, parsed = 0 }
local milliseconds = 0
local dirty = false
local leaving = false

-- Beginnings of the names of reasons why auth refuses.
local GROUPS = { source = true, auth = true, client = true, basic = true, forward = true }
-- Names of reasons by text; for a reason that contains a value, by the text before it.
local names, prefixes = {}, {}
for name, entry in pairs(reasons.catalog) do
    local before = str_match(entry[2], "^(.-)<")
    if before and str_find(name, "^auth_") or before and str_find(name, "^forward_") then
        prefixes[before] = name
    elseif not before then
        names[entry[2]] = name
    end
end

local column_of = {}

local function name_columns()
    local outcomes = _M.OUTCOMES
    for name in pairs(reasons.catalog) do
        if GROUPS[str_match(name, "^(%a+)_")] then
            outcomes[#outcomes + 1] = name
        end
    end
    -- The same in every process: the order of `pairs` is not.
    sort(outcomes)
    assert(#outcomes <= rows.WIDTH)
    for i = 1, #outcomes do
        column_of[outcomes[i]] = i - 1
    end
end

name_columns()

local function name_of(reason)
    local name = names[reason]
    if name then
        return name
    end
    for before, candidate in pairs(prefixes) do
        if str_sub(reason, 1, #before) == before then
            return candidate
        end
    end
    return "other"
end

local function add(prefix, counts)
    for key, count in pairs(counts) do
        if count > 0 then
            shared:incr(prefix .. key, count, 0)
            counts[key] = 0
        end
    end
end

--- Adds this worker's counts since the last flush to the dictionary.
function _M.flush()
    if not dirty then
        return
    end
    dirty = false
    add(CODE, codes)
    add(BUCKET, buckets)
    add(AUTH, auths)
    add(ANSWER, answers)
    shared:incr(TIME, milliseconds, 0)
    milliseconds = 0
end

local function counted()
    dirty = true
    if leaving then
        _M.flush()
    end
end

--- Counts a request whose response header is about to be sent.
function _M.response(status)
    local time = floor((now() - start_time()) * 1000 + 0.5)
    if time < 0 then
        -- The clock was set back.
        time = 0
    end
    local bucket = BUCKET_OF[time] or LAST
    codes[status] = (codes[status] or 0) + 1
    buckets[bucket] = (buckets[bucket] or 0) + 1
    milliseconds = milliseconds + time
    counted()
end

local function count_auth(outcome, row)
    auths[outcome] = (auths[outcome] or 0) + 1
    if row then
        add_to_row(row, column_of[outcome] or column_of.other, 1)
    end
    counted()
end

--- Counts a check that accepted the request.
---@param row integer|false|nil of the auth policy
function _M.passed(row)
    count_auth("passed", row)
end

--- Counts the same check for another policy that has accepted it.
---@param row integer|false
function _M.passed_too(row)
    if row then
        add_to_row(row, column_of.passed, 1)
    end
end

--- Counts a check that redirected the client to the sign-in page.
---@param row integer|false|nil of the auth policy
function _M.signin(row)
    count_auth("signin", row)
end

--- Counts a check that refused the request.
---@param reason string as in X-ALB-ERR-REASON
---@param row integer|false|nil of the auth policy
---@return string outcome
function _M.refused(reason, row)
    local outcome = name_of(reason)
    count_auth(outcome, row)
    return outcome
end

--- Counts an answer of an auth service.
---@param is_known boolean? whether its bytes are those of a remembered answer (auth/http_client.lua)
function _M.answered(is_known)
    if is_known then
        answers.known = answers.known + 1
    else
        answers.parsed = answers.parsed + 1
    end
    counted()
end

--- Called when this worker begins to drain: its timer does not run again.
function _M.leave()
    leaving = true
    _M.flush()
end

local function bounds_in_seconds()
    local seconds = {}
    for i = 1, #BOUNDS do
        seconds[i] = BOUNDS[i] / 1000
    end
    return seconds
end

--- The sums of all workers since nginx started, up to their last flush.
---@return table counters see docs/policy-format.md
function _M.read()
    _M.flush()
    local counts = {}
    for i = 1, LAST do
        counts[i] = shared:get(BUCKET .. i) or 0
    end
    local found = { responses = {}, auth = {}, answers = {} }
    local found_by = { [CODE] = found.responses, [AUTH] = found.auth, [ANSWER] = found.answers }
    local keys = shared:get_keys(0)
    for i = 1, #keys do
        local by_name = found_by[str_sub(keys[i], 1, 2)]
        if by_name then
            by_name[str_sub(keys[i], 3)] = shared:get(keys[i])
        end
    end
    found.durations = {
        bounds = bounds_in_seconds(),
        counts = counts,
        sum = (tonumber(shared:get(TIME)) or 0) / 1000,
    }
    return found
end

return _M

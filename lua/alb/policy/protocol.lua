--- The body of PUT /policy: a first line, then one line for each changed shard (docs/policy-format.md).
-- May yield: only in the `pause` argument. Pure.
local version = require("alb.version")

local re_match = ngx.re.match
local str_byte = string.byte
local str_find = string.find
local str_sub = string.sub
local tonumber = tonumber

local TAB = "\t"

local _M = {}

--- The maps of policy.json whose entries are shards.
_M.maps = {
    settings = true,
    servers = true,
    hosts = true,
    matches = true,
    routes = true,
    inherited = true,
    headers = true,
    auths = true,
    upstreams = true,
    backendTls = true,
    certificates = true,
}

-- Parses one line of the control protocol: `=<TAB>map<TAB>key<TAB>json` or `-<TAB>map<TAB>key`.
local function parse_change(line)
    local op = str_byte(line, 1)
    local map_end = str_find(line, TAB, 3, true)
    if (op ~= 61 and op ~= 45) or str_byte(line, 2) ~= 9 or not map_end then
        return nil, "malformed line"
    end
    local map = str_sub(line, 3, map_end - 1)
    if not _M.maps[map] then
        return nil, "unknown map"
    end
    if op == 45 then
        return { map = map, key = str_sub(line, map_end + 1), json = "" }
    end
    local key_end = str_find(line, TAB, map_end + 1, true)
    if not key_end or key_end == #line then
        return nil, "malformed line"
    end
    return {
        map = map,
        key = str_sub(line, map_end + 1, key_end - 1),
        json = str_sub(line, key_end + 1),
    }
end

-- Lines between two pauses.
local BATCH = 500

--- Parses a whole body of the control protocol.
---@param pause function? called regularly; may yield
---@return table? request { from, to, changes }
---@return string? err
function _M.parse(body, pause)
    local eol = str_find(body, "\n", 1, true)
    local first = eol and str_sub(body, 1, eol - 1) or body
    local m = re_match(first, [[^albc-policy ([0-9]+) (\S+) (\S+)$]], "jo")
    if not m then
        return nil, "malformed first line"
    end
    if tonumber(m[1]) ~= version.policy_format then
        return nil, "policy format " .. m[1] .. " is not supported"
    end
    local changes, n = {}, 0
    local pos, number = eol and eol + 1 or #body + 1, 1
    while pos <= #body do
        local stop = str_find(body, "\n", pos, true) or #body + 1
        number = number + 1
        local change, err = parse_change(str_sub(body, pos, stop - 1))
        if not change then
            return nil, "line " .. number .. ": " .. err
        end
        n = n + 1
        changes[n] = change
        pos = stop + 1
        if pause and n % BATCH == 0 then
            pause()
        end
    end
    return { from = m[2], to = m[3], changes = changes }
end

return _M

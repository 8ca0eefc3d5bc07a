--- Reads policy.json from the run folder, with the changes that follow it there, into the shared dictionary when nginx
-- starts or reloads.
-- May yield: no. Phases: init (in the master process).
local cjson = require("cjson.safe")
local protocol = require("alb.policy.protocol")
local store = require("alb.policy.store")
local version = require("alb.version")

local ngx = ngx
local pairs = pairs
local str_find = string.find
local str_sub = string.sub

local _M = {}

local function read_file(path)
    local file, err = io.open(path, "rb")
    if not file then
        return nil, err
    end
    local text = file:read("*a")
    file:close()
    return text
end

-- How a change begins, and how its digest does. No JSON text has a line break within a string.
local CHANGE = "\nalbc-policy "
local END = "\nalbc-end "
local DIGEST = 32

-- Splits the text of policy.json into the document and the complete changes that follow it. The last one may be written
-- in part, because of a power failure or right now; then albc has not confirmed it.
local function split(text)
    local requests, n = {}, 0
    local pos = str_find(text, CHANGE, 1, true)
    local document = pos and str_sub(text, 1, pos) or text
    while pos do
        local stop = str_find(text, END, pos + 1, true)
        local body = stop and str_sub(text, pos + 1, stop)
        if not body or ngx.md5(body) ~= str_sub(text, stop + #END, stop + #END + DIGEST - 1) then
            break
        end
        local request, err = protocol.parse(body)
        if not request then
            return nil, err
        end
        n = n + 1
        requests[n] = request
        pos = str_find(text, CHANGE, stop + 1, true)
    end
    return document, requests
end

-- The last JSON text of each changed shard by map and key, "" if it was removed, and the last version.
local function joined(document, requests)
    local changed, to = {}, document.version
    for map in pairs(store.maps) do
        changed[map] = {}
    end
    for i = 1, #requests do
        local request = requests[i]
        if request.from ~= to then
            return nil,
                "a change of version " .. request.from .. " follows version " .. tostring(to)
        end
        for k = 1, #request.changes do
            local change = request.changes[k]
            changed[change.map][change.key] = change.json
        end
        to = request.to
    end
    return changed, to
end

-- Every shard of a decoded policy document and of what has changed since as a change.
local function shards(document, changed)
    local changes, n = {}, 0
    local function add(map, key, json)
        n = n + 1
        changes[n] = { map = map, key = key, json = json }
    end
    for map in pairs(store.maps) do
        local entries = document[map]
        if map == "settings" then
            entries = { ["-"] = entries or {} }
        end
        for key, value in pairs(entries or {}) do
            if not changed[map][key] then
                add(map, key, cjson.encode(value))
            end
        end
        for key, json in pairs(changed[map]) do
            if json ~= "" then
                add(map, key, json)
            end
        end
    end
    return changes
end

--- Commits policy.json, unless its version is committed already.
---@return boolean? ok
---@return string? err
function _M.load(path)
    local text, err = read_file(path)
    if not text then
        return nil, err
    end
    local head, requests = split(text)
    if not head then
        return nil, path .. ": " .. requests
    end
    local document
    document, err = cjson.decode(head)
    if not document then
        return nil, path .. ": " .. err
    end
    if document.format ~= version.policy_format then
        return nil, path .. ": policy format " .. tostring(document.format) .. " is not supported"
    end
    local changed, to = joined(document, requests)
    if not changed then
        return nil, path .. ": " .. to
    end
    local seq, _, served = store.committed()
    if seq > 0 and served == to then
        return true
    end
    return store.apply_full(to, shards(document, changed))
end

--- Loads policy.json of the run folder. If that fails, nginx must not start; at a reload the current policy stays.
function _M.start()
    local ok, err = _M.load(ngx.config.prefix() .. "policy.json")
    if ok then
        return
    end
    if store.committed() == 0 then
        error("albc: " .. err)
    end
    ngx.log(ngx.ERR, "albc: the policy in use stays: ", err)
end

return _M

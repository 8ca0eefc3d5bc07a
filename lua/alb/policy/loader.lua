--- Reads policy.json from the run folder into the shared dictionary when nginx starts or reloads.
-- May yield: no. Phases: init (in the master process).
local cjson = require("cjson.safe")
local store = require("alb.policy.store")
local version = require("alb.version")

local ngx = ngx
local pairs = pairs

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

-- Every shard of a decoded policy document as a change.
local function shards(document)
    local changes, n = {}, 0
    for map in pairs(store.maps) do
        local entries = document[map]
        if map == "settings" then
            entries = { ["-"] = entries or {} }
        end
        for key, value in pairs(entries or {}) do
            n = n + 1
            changes[n] = { map = map, key = key, json = cjson.encode(value) }
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
    local document
    document, err = cjson.decode(text)
    if not document then
        return nil, path .. ": " .. err
    end
    if document.format ~= version.policy_format then
        return nil, path .. ": policy format " .. tostring(document.format) .. " is not supported"
    end
    local seq, _, served = store.committed()
    if seq > 0 and served == document.version then
        return true
    end
    return store.apply_full(document.version, shards(document))
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

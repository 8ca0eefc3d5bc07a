--- The content of a credentials file, as a worker holds it. It is never out of date: the file is named after its
-- content.
-- May yield: no. Phases: any but init (each worker has secrets of its own).
local cjson = require("cjson.safe")

local ngx = ngx
local ERR = ngx.ERR
local next = next

local _M = {}

local RANDOM_BYTES = 16

-- By file, as long as an auth policy holds them.
local loaded = setmetatable({}, { __mode = "v" })

local function read(path, size)
    local file, err = io.open(path, "rb")
    if not file then
        return nil, err
    end
    local text = file:read(size)
    file:close()
    return text, "empty"
end

--- The credentials of a file below the run folder, shared by all policies that name it.
---@param file string
---@return table? credentials { entries: table<string, string[]>, first: string[], key: string }
function _M.load(file)
    local set = loaded[file]
    if set then
        return set
    end
    local text, err = read(ngx.config.prefix() .. file, "*a")
    local entries = text and cjson.decode(text)
    -- Keys what this worker remembers of verified logins. Each set has its own key, so a login counts for no other set.
    local key = read("/dev/urandom", RANDOM_BYTES)
    if not entries or not next(entries) or not key then
        -- Without cjson's message: it would quote the text.
        ngx.log(
            ERR,
            "albc: credentials ",
            file,
            " can't be used: ",
            text and "not as expected" or err
        )
        return nil
    end
    local _, first = next(entries)
    set = { entries = entries, first = first, key = key }
    loaded[file] = set
    return set
end

return _M

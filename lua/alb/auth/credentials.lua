--- The users of one secret, as a worker holds them. The file is named after its content, so this is never out of date.
-- May yield: no. Phases: any but init (each worker has secrets of its own).
local apr1 = require("alb.auth.apr1")
local cjson = require("cjson.safe")

local ngx = ngx
local ERR = ngx.ERR
local bit = require("bit")
local bor, bxor = bit.bor, bit.bxor
local str_byte = string.byte
local next = next

local _M = {}

local RANDOM_BYTES = 16
-- Length of an apr1 digest as text.
local DIGEST_LENGTH = 22

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
---@return table? credentials { users, key, dummy_salt }
function _M.load(file)
    local set = loaded[file]
    if set then
        return set
    end
    local text, err = read(ngx.config.prefix() .. file, "*a")
    local users = text and cjson.decode(text)
    -- Keys what this worker remembers of verified logins. Each set has its own key, so a login counts for no other set.
    local key = read("/dev/urandom", RANDOM_BYTES)
    if not users or not next(users) or not key then
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
    local _, first = next(users)
    set = { users = users, key = key, dummy_salt = first[1] }
    loaded[file] = set
    return set
end

-- Compares every character, so the time does not depend on where the first difference is.
local function equal(a, b)
    if #a ~= DIGEST_LENGTH or #b ~= DIGEST_LENGTH then
        return false
    end
    local difference = 0
    for i = 1, DIGEST_LENGTH do
        difference = bor(difference, bxor(str_byte(a, i), str_byte(b, i)))
    end
    return difference == 0
end

--- Is it the user's password? Takes as long for users that do not exist.
---@param password string at most apr1.MAX_PASSWORD bytes
---@return boolean
function _M.verify(set, user, password)
    local stored = set.users[user]
    local digest = apr1.digest(password, stored and stored[1] or set.dummy_salt)
    return equal(digest, stored and stored[2] or digest) and stored ~= nil
end

return _M

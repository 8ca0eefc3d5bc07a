--- The secret by which the gateway knows again what it has made: environment/session.key of the run folder, so that
-- gateways with the same file accept each other's; without the file, random bytes until nginx ends.
-- May yield: no. Phases: start in init; get in any.
local _M = {}

local BYTES = 32

local key

local function read_bytes(path, count)
    local file = io.open(path, "rb")
    if not file then
        return nil
    end
    local bytes = file:read(count)
    file:close()
    return bytes
end

--- Called in the master, when nginx starts or reloads.
function _M.start()
    local state = ngx.shared.albc_state
    local given = read_bytes(ngx.config.prefix() .. "environment/session.key", "*a")
    if given and #given >= BYTES then
        key = given
        return
    end
    if given then
        ngx.log(ngx.ERR, "albc: session.key has less than ", BYTES, " bytes: it is not used")
    end
    state:safe_add("session_key", assert(read_bytes("/dev/urandom", BYTES)))
    key = state:get("session_key")
end

---@return string
function _M.get()
    return key
end

return _M

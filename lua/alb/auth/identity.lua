--- The user that an auth service names in its answer, for the access log.
-- May yield: no. Phases: prepare any but init (want); access (of).
local log = require("alb.log")

local _M = {}

-- Headers that auth services use, in lower case. The first that an answer has counts.
local NAMES = {
    -- oauth2-proxy
    "x-auth-request-user",
    -- Authelia
    "remote-user",
    -- Traefik's forward auth
    "x-forwarded-user",
    "x-authentik-username",
    "x-webauth-user",
}

--- Adds the headers to a set of those that are read, if the log has the user.
---@param wanted table<string, true>
function _M.want(wanted)
    for i = 1, log.user and #NAMES or 0 do
        wanted[NAMES[i]] = true
    end
end

--- The user; nil if the answer names none.
---@param response table as http_client.request returns it
---@return string?
function _M.of(response)
    local headers = response.headers
    for i = 1, #NAMES do
        local values = headers[NAMES[i]]
        if values then
            return values[1]
        end
    end
    return nil
end

return _M

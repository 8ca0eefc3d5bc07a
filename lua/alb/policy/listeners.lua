--- Finds the listener of a server for a host: the one with the most specific host key that covers it.
-- May yield: no. Phases: prepare in any; find in ssl_certificate and access.
local host_keys = require("alb.route.host_keys")

local _M = {}

-- Remembered hosts of a server; limited, because clients choose them.
local MAX_HOSTS = 1000
local LONGEST_NAME = 253

--- Prepares a decoded server. Its listeners become tables: `[1]` host key, `[2]` id, `isolated`, and for client
--- certificates `mode` and `authorities`.
---@param server table PolicyServer
function _M.prepare(server)
    local isolated, apart = {}, {}
    for _, id in ipairs(server.apart or {}) do
        apart[id] = true
    end
    for _, id in ipairs(server.isolated or {}) do
        isolated[id] = true
    end
    local certificates = server.clientCertificates or {}
    for _, listener in ipairs(server.listeners) do
        listener.isolated = isolated[listener[2]] or false
        listener.apart = apart[listener[2]] or false
        local wanted = certificates[listener[2]]
        if wanted then
            listener.mode, listener.authorities = wanted[1], wanted[2]
        end
    end
    server.found, server.count = {}, 0
end

--- The listener of a host in lower case, false if there is none.
---@param server table prepared
---@return table|false
function _M.find(server, host)
    local listeners = server.listeners
    for i = 1, #listeners do
        if host_keys.covers(listeners[i][1], host) then
            return listeners[i]
        end
    end
    return false
end

--- The same, cached.
function _M.find_known(server, host)
    if #host > LONGEST_NAME then
        return _M.find(server, host)
    end
    local found = server.found[host]
    if found == nil then
        found = _M.find(server, host)
        if server.count >= MAX_HOSTS then
            server.found, server.count = {}, 0
        end
        server.found[host], server.count = found, server.count + 1
    end
    return found
end

return _M

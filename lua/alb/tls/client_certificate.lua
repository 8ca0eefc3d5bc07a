--- Requests a client certificate if the listener of the server name needs one (Gateway API, FrontendTLSValidation).
--
-- The handshake continues with any certificate; listener_guard.lua checks the result at each request. Files of
-- authorities are named after their content, so parsed files stay valid.
-- May yield: no. Phases: ssl_certificate.
local index = require("alb.policy.index")
local listeners = require("alb.policy.listeners")
local lrucache = require("resty.lrucache")
local ssl = require("ngx.ssl")

local _M = {}

-- Lists of authorities that a worker caches.
local MAX_PARSED = 200
-- Most certificates between the client's and an authority.
local DEPTH = 10

local parsed = lrucache.new(MAX_PARSED)

local function load(path)
    local chain = parsed:get(path)
    if chain then
        return chain
    end
    local file, err = io.open(ngx.config.prefix() .. path, "rb")
    if not file then
        return nil, err
    end
    local pem = file:read("*a")
    file:close()
    chain, err = ssl.parse_pem_cert(pem or "")
    if not chain then
        return nil, path .. ": " .. err
    end
    parsed:set(path, chain)
    return chain
end

--- Requests a certificate if the listener needs one.
---@param server_id string
---@param name string from host_keys.of_server_name
---@return true? ok nil if the handshake must fail
---@return string? err
function _M.request(server_id, name)
    local server = index.get("servers", server_id)
    if not server or not server.clientCertificates then
        return true
    end
    local listener = listeners.find(server, name)
    if not listener or not listener.mode then
        return true
    end
    local authorities, err = load(listener.authorities)
    if not authorities then
        return nil, err
    end
    return ssl.verify_client(authorities, DEPTH)
end

return _M

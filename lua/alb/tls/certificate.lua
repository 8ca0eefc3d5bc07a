--- Serves the certificate for the server name of the handshake.
--
-- The most specific one wins: the name itself, a wildcard of one label, a wildcard of any depth with the longest
-- suffix, the server's default, a self-signed one that albc makes when it starts. Files are named after their content,
-- so parsed files stay valid.
-- May yield: no. Phases: ssl_certificate.
local client_certificate = require("alb.tls.client_certificate")
local host_keys = require("alb.route.host_keys")
local index = require("alb.policy.index")
local lrucache = require("resty.lrucache")
local ssl = require("ngx.ssl")

local ngx = ngx
local str_gsub = string.gsub

local _M = {}

-- Pairs of certificate and key that a worker caches; about 10 KiB each.
local MAX_PARSED = 2000
-- Seconds between two log lines about missing certificates, because clients choose the names.
local LOG_INTERVAL = 60

-- Of the run folder; a folder that `albc render` wrote has it only if somebody made it.
local SELF_SIGNED = "environment/self-signed.pem"

local parsed = lrucache.new(MAX_PARSED)
local last_logged = -LOG_INTERVAL

-- OpenSSL accepts any bytes but NUL in a server name; a line break would forge a log line.
local function shown(name)
    return (str_gsub(name, "[^%w._-]", "?"))
end

local function log_missing(server_id, name)
    local now = ngx.now()
    if now - last_logged < LOG_INTERVAL then
        return
    end
    last_logged = now
    ngx.log(
        ngx.WARN,
        "albc: no certificate on ",
        server_id,
        " for ",
        name == "" and "a client without server name" or shown(name),
        ", nor a default one: it gets a self-signed one"
    )
end

local function read_file(path)
    local file, err = io.open(ngx.config.prefix() .. path, "rb")
    if not file then
        return nil, err
    end
    local text
    text, err = file:read("*a")
    file:close()
    return text, err
end

-- Chain and key of a PEM file, parsed.
local function load(path)
    local pem, err = read_file(path)
    if not pem then
        return nil, err
    end
    local chain, key
    chain, err = ssl.parse_pem_cert(pem)
    if not chain then
        return nil, "certificate: " .. err
    end
    key, err = ssl.parse_pem_priv_key(pem)
    if not key then
        return nil, "key: " .. err
    end
    return { chain = chain, key = key }
end

local function get(path)
    local pair = parsed:get(path)
    if pair then
        return pair
    end
    local err
    pair, err = load(path)
    if not pair then
        return nil, path .. ": " .. err
    end
    parsed:set(path, pair)
    return pair
end

local function use(pair)
    local ok, err = ssl.clear_certs()
    if ok then
        ok, err = ssl.set_cert(pair.chain)
    end
    if ok then
        ok, err = ssl.set_priv_key(pair.key)
    end
    return ok, err
end

local function find_file(server_id, name)
    if name == "" then
        return index.certificate_file(server_id, "")
    end
    local keys = host_keys.matching(name)
    for i = 1, #keys do
        local path = index.certificate_file(server_id, keys[i])
        if path then
            -- Empty if the name belongs to another namespace than the wildcard that covers it.
            return path ~= "" and path or index.certificate_file(server_id, "")
        end
    end
    return nil
end

--- Called by ssl_certificate_by_lua of a server.
---@param server_id string
function _M.serve(server_id)
    local name = host_keys.of_server_name(ssl.server_name())
    local path = find_file(server_id, name)
    if not path then
        log_missing(server_id, name)
    end
    local pair, err = get(path or SELF_SIGNED)
    local ok = pair ~= nil
    if pair then
        ok, err = use(pair)
    end
    if ok then
        ok, err = client_certificate.request(server_id, name)
    end
    if not ok then
        ngx.log(ngx.ERR, "albc: certificate for ", shown(name), ": ", err)
        return ngx.exit(ngx.ERROR)
    end
end

return _M

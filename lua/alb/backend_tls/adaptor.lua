--- The way to backends whose certificates nginx can't check (templates/partials/adaptor.conf.hbs): by a unix socket,
-- behind which carry.lua opens the connection. It carries one try of one request, and knows only what a header of the
-- try says: the balancer has chosen the endpoint, and everything else is done here as for any other backend.
-- May yield: no. Phases: line in any; aim in balancer; failure in balancer and rewrite.
local balancer = require("ngx.balancer")

local ngx = ngx
local var = ngx.var
local failures = ngx.shared.albc_failures
local worker_pid = ngx.worker.pid
local floor = math.floor
local re_match = ngx.re.match
local str_match = string.match
local tonumber = tonumber

local _M = {
    SOCKET = "unix:tmp/adaptor.sock",
    --- Only the gateway writes it; no client's header of this name gets here, and no backend sees it.
    HEADER = "X-Albc-Endpoint",
}

-- Seconds for which a failure is remembered: who asks has its connection closed at once.
local MEMORY = 10
local PATTERN = [[^(\d+-\d+) ([0-9A-Za-z-]+) (\S+) (\d+) (\d+)$]]

-- Tries of this worker.
local count = 0

--- The value of the header for a try.
---@param tls string id of a BackendTls
---@param address string of the endpoint
---@param port integer
---@param connect number milliseconds to connect
---@return string
function _M.line(tls, address, port, connect)
    count = count + 1
    local key = worker_pid() .. "-" .. count
    return key .. " " .. tls .. " " .. address .. " " .. port .. " " .. floor(connect)
end

--- Reads a value of `line`.
---@return { key: string, tls: string, address: string, port: integer, connect: integer }?
function _M.parse(line)
    local m = re_match(line, PATTERN, "jo")
    return m
        and {
            key = m[1],
            tls = m[2],
            address = m[3],
            port = tonumber(m[4]),
            connect = tonumber(m[5]),
        }
end

--- Aims a try at an endpoint.
---@param connect number milliseconds to connect
---@return string socket that the try is sent to
function _M.aim(address, port, connect)
    local tried = var.albc_tried
    local endpoint = address .. ":" .. port
    var.albc_tried = tried == "" and endpoint or tried .. ", " .. endpoint
    var.albc_endpoint = _M.line(var.albc_tls, address, port, connect)
    -- Writes the header anew.
    local ok, err = balancer.recreate_request()
    if not ok then
        ngx.log(ngx.ERR, "albc: a try by the adaptor: ", err)
    end
    return _M.SOCKET
end

--- Remembers that nothing was sent, since there is no connection.
---@param key string
---@param is_timeout boolean
function _M.fail(key, is_timeout)
    failures:set(key, is_timeout and "timeout" or "refused", MEMORY)
end

--- Why the try with this header has no connection; nil: it has one, or is no try by the adaptor.
---@param line string
---@return "timeout"|"refused"|nil
function _M.failure(line)
    local key = str_match(line, "^%S+")
    return key and failures:get(key)
end

return _M

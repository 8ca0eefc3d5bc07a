--- One request of the HTTP client, as a test tells it.
local connection = require("alb.auth.connection")
local http_client = require("alb.auth.http_client")

local _M = {}

---@param where table scheme, host, port, verify
---@param options table method, bytes, timeout (seconds), wanted (names)
function _M.request(where, options)
    local service = connection.service(where.scheme, where.host, where.port, where.verify)
    local wanted = {}
    for _, name in ipairs(options.wanted or {}) do
        wanted[name] = true
    end
    ngx.update_time()
    local method = options.method or "GET"
    local bytes = options.bytes or method .. " / HTTP/1.1\r\nHost: test\r\n\r\n"
    local response, err = http_client.request(
        service,
        method,
        bytes,
        ngx.now() + (options.timeout or 5),
        http_client.with_framing(wanted)
    )
    if not response then
        return nil, err
    end
    return response.status, response.headers
end

return _M

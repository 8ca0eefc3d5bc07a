--- One request of the HTTP client, as a test tells it.
local connection = require("alb.auth.connection")
local http_client = require("alb.auth.http_client")

local _M = {}

-- By method and wanted names, as each policy has its own.
local memories = {}

---@param where table scheme, host, port, verify
---@param options table method, bytes, body (how many more bytes), timeout (seconds), wanted (names)
function _M.request(where, options)
    local service = connection.service(where.scheme, where.host, where.port, where.verify)
    local method = options.method or "GET"
    local wanted = { ["set-cookie"] = true }
    local key = method .. " " .. table.concat(options.wanted or {}, " ")
    memories[key] = memories[key] or http_client.answers()
    for _, name in ipairs(options.wanted or {}) do
        wanted[name] = true
    end
    ngx.update_time()
    local bytes = options.bytes or method .. " / HTTP/1.1\r\nHost: test\r\n\r\n"
    bytes = bytes .. ("x"):rep(options.body or 0)
    local response, err = http_client.request(
        service,
        method,
        bytes,
        ngx.now() + (options.timeout or 5),
        http_client.with_framing(wanted),
        nil,
        memories[key]
    )
    if not response then
        return nil, err
    end
    return response.status, response.headers
end

--- Requests for this many policies, each with this many.
function _M.request_for_many(where, policies, each)
    for policy = 1, policies do
        for _ = 1, each do
            _M.request(where, { wanted = { "x-policy-" .. policy } })
        end
    end
end

--- How many answers are remembered.
function _M.remembered()
    local count = 0
    for _, memory in pairs(memories) do
        count = count + memory.count
    end
    return count
end

return _M

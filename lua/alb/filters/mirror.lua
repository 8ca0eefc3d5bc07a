--- Sends a share of the requests to other Services too (Gateway API, HTTPRequestMirrorFilter). Nobody waits for the copies
--- and nobody hears of them: they go out by a timer that is due at once, over connections that are kept.
--
-- A copy is what the backend gets: request line, Host and headers after the filters, and a body whose length is told and
-- is at most MAX_BODY; requests with other bodies are not mirrored, because they would have to be held back until they
-- have come whole. Copies beyond a number or size in flight are left out.
-- May yield: send does (a body that is to be copied is read before the request goes on). Phases: rewrite.
local client_headers = require("alb.auth.client_headers")
local connection = require("alb.auth.connection")
local ffi = require("ffi")
local hop_headers = require("alb.auth.hop_headers")
local http_client = require("alb.auth.http_client")

local ngx = ngx
local var = ngx.var
local now = ngx.now
local ffi_str = ffi.string
local fold = client_headers.fold
local concat = table.concat
local math_random = math.random
local pcall = pcall
local str_match = string.match
local timer_at = ngx.timer.at
local tonumber = tonumber

local _M = {}

-- Bytes.
local MAX_BODY = 1024 * 1024
local MAX_BYTES_IN_FLIGHT = 16 * 1024 * 1024
-- nginx runs at most 256 timers of a worker at once.
local MAX_IN_FLIGHT = 128
-- Seconds for a copy, its answer included.
local LIFETIME = 10

local in_flight, bytes_in_flight = 0, 0

local wanted = http_client.with_framing({})

-- What backends are told by the gateway (render/nginx/headers-view.ts): variables by header.
local OWN = {
    { "X-Real-IP", "remote_addr" },
    { "X-Forwarded-For", "albc_xff" },
    { "X-Forwarded-Proto", "albc_scheme" },
    { "X-Forwarded-Host", "albc_fwd_host" },
    { "X-Forwarded-Port", "albc_fwd_port" },
    { "X-Scheme", "albc_scheme" },
    { "X-Request-ID", "albc_request_id" },
    { "Forwarded", "albc_forwarded" },
}

-- Client headers that are not copied, folded.
local left_out = {
    ["x-original-uri"] = true,
    ["x-forwarded-scheme"] = true,
    ["x-forwarded-ssl"] = true,
    ["x-original-url"] = true,
    ["x-rewrite-url"] = true,
    proxy = true,
}
for name in pairs(hop_headers.names) do
    left_out[name] = true
end
for i = 1, #OWN do
    left_out[OWN[i][1]:lower()] = true
end

-- HTTP/1.1 is spoken here, and certificates are checked by nginx's own connections only.
local function is_possible(mirror)
    return (mirror.protocol == "http" or mirror.protocol == "https") and not mirror.tls
end

--- Called once for each decoded route, and for the filters of each backend. Each worker starts at another place.
function _M.prepare(holder)
    local mirrors = holder.mirrors or {}
    for i = 1, #mirrors do
        local mirror = mirrors[i]
        mirror.possible = is_possible(mirror)
        mirror.credit = math_random(0, mirror.denominator - 1)
        if not mirror.possible then
            ngx.log(ngx.ERR, "albc: route ", holder.id, " can't mirror to ", mirror.upstream)
        end
    end
end

-- Exactly `numerator` of any `denominator` requests in a row, spread evenly.
local function is_due(mirror)
    mirror.credit = mirror.credit + mirror.numerator
    if mirror.credit < mirror.denominator then
        return false
    end
    mirror.credit = mirror.credit - mirror.denominator
    return mirror.possible
end

local no_body = { GET = true, HEAD = true, OPTIONS = true, DELETE = true, TRACE = true }

local function read_body()
    ngx.req.read_body()
    local body = ngx.req.get_body_data()
    if body then
        return body
    end
    local path = ngx.req.get_body_file()
    local file = path and io.open(path, "rb")
    if not file then
        return nil
    end
    body = file:read("*a")
    file:close()
    return body
end

-- The body to copy, "" for none; nil: the request can't be copied.
local function body_of_request()
    local length = tonumber(var.http_content_length)
    if length then
        if length > MAX_BODY then
            return nil
        end
        return length == 0 and "" or read_body()
    end
    if var.http_transfer_encoding then
        return nil
    end
    -- HTTP/2 needs no length for a body.
    local is_http1 = var.server_protocol == "HTTP/1.1" or var.server_protocol == "HTTP/1.0"
    return (is_http1 or no_body[var.request_method]) and "" or nil
end

local function put_client_headers(lines, n)
    local declared = hop_headers.declared() or {}
    local dropped = {}
    for i = 1, #declared do
        dropped[declared[i]] = true
    end
    local elements, count = client_headers.read()
    for i = 0, count - 1 do
        local key, value = elements[i].key, elements[i].value
        local name = ffi_str(key.data, key.len)
        if not left_out[fold(name)] and not dropped[name] then
            n = n + 1
            lines[n] = name .. ": " .. ffi_str(value.data, value.len)
        end
    end
    return n
end

local function put_own_headers(lines, n)
    for i = 1, #OWN do
        local value = var[OWN[i][2]] or ""
        if value ~= "" then
            n = n + 1
            lines[n] = OWN[i][1] .. ": " .. value
        end
    end
    return n
end

-- The whole request; everything that follows a yield is done before.
local function build(method, target, body)
    local lines = { method .. " " .. target .. " HTTP/1.1", "Host: " .. var.albc_upstream_host }
    local n = put_own_headers(lines, put_client_headers(lines, 2))
    if body ~= "" or var.http_content_length then
        n = n + 1
        lines[n] = "Content-Length: " .. #body
    end
    lines[n + 1], lines[n + 2] = "", body
    return concat(lines, "\r\n")
end

local function deliver(premature, service, method, bytes)
    if not premature then
        pcall(http_client.request, service, method, bytes, now() + LIFETIME, wanted)
    end
    in_flight, bytes_in_flight = in_flight - 1, bytes_in_flight - #bytes
end

local function start(mirror, method, bytes)
    if in_flight >= MAX_IN_FLIGHT or bytes_in_flight + #bytes > MAX_BYTES_IN_FLIGHT then
        return
    end
    local host = str_match(var.albc_upstream_host, "^(.-):?%d*$")
    local service = connection.service(mirror.protocol, host, 0, false, mirror.upstream)
    if timer_at(0, deliver, service, method, bytes) then
        in_flight, bytes_in_flight = in_flight + 1, bytes_in_flight + #bytes
    end
end

--- Sends copies of this request to the mirrors whose turn it is.
---@param mirrors table prepared
---@param target string path and query, as the backend gets them
function _M.send(mirrors, target)
    local method, bytes = var.request_method, nil
    for i = 1, #mirrors do
        if is_due(mirrors[i]) then
            if not bytes then
                local body = body_of_request()
                if not body then
                    return
                end
                bytes = build(method, target, body)
            end
            start(mirrors[i], method, bytes)
        end
    end
end

return _M

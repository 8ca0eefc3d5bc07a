--- Sends a share of the requests to other Services too (Gateway API, HTTPRequestMirrorFilter). The request doesn't wait
-- for its copies: a timer that runs at once sends them over keepalive connections.
--
-- A copy equals what the backend gets: request line, Host and headers after the filters, and the body. A body must
-- have a declared length of at most 128 KiB; other requests are not mirrored, because the gateway would have to hold
-- them until the body is complete. Copies beyond a number or size in flight are dropped: a namespace may hold as much
-- as it leaves to others, so one whose mirrors are silent keeps nobody else's copies from being sent.
-- May yield: send (reads a body before the request continues). Phases: access.
local adaptor = require("alb.backend_tls.adaptor")
local connection = require("alb.auth.connection")
local copy = require("alb.filters.mirror_copy")
local endpoints = require("alb.upstream.endpoints")
local outages = require("alb.upstream.outages")
local http_client = require("alb.auth.http_client")

local ngx = ngx
local var = ngx.var
local now = ngx.now
local math_random = math.random
local pcall = pcall
local re_match = ngx.re.match
local timer_at = ngx.timer.at

local _M = { field = "mirrors" }

-- Bytes.
local MAX_BYTES_IN_FLIGHT = 16 * 1024 * 1024
-- nginx runs at most 256 timers of a worker at once.
local MAX_IN_FLIGHT = 128
-- Seconds for a copy, including its response.
local LIFETIME = 10
-- Seconds between two log lines of a worker about copies dropped for the same reason.
local TELL_EVERY = 60

local in_flight, bytes_in_flight = 0, 0
-- By namespace of the route: { copies, bytes }.
local held = {}

-- By reason: how many copies were dropped since the last log line, and when the next line may be written.
local left_out, tell_at = {}, {}

-- Endpoints that are tried by verified TLS if they can't be reached.
local MAX_ENDPOINTS = 3

local adapted = connection.socket(adaptor.SOCKET)

local wanted = http_client.with_framing({})

-- The HTTP client speaks HTTP/1.1 only.
local function is_possible(mirror)
    return mirror.protocol == "http" or mirror.protocol == "https"
end

--- Called once for each decoded route, and for the filters of each backend. The start is random in each worker.
function _M.prepare(holder)
    local mirrors = holder.mirrors
    for i = 1, #mirrors do
        local mirror = mirrors[i]
        mirror.possible = is_possible(mirror)
        mirror.credit = math_random(0, mirror.denominator - 1)
        if not mirror.possible then
            local reason = " can't mirror by " .. mirror.protocol .. " to "
            ngx.log(ngx.WARN, "albc: route ", holder.id, reason, mirror.upstream)
        end
    end
end

-- Logs the reason: nothing else shows why a mirror lacks requests.
local function leave_out(route_id, reason)
    local count = (left_out[reason] or 0) + 1
    left_out[reason] = count
    if now() < (tell_at[reason] or 0) then
        return
    end
    local message = " requests not mirrored, the last one of route "
    ngx.log(ngx.WARN, "albc: ", count, message, route_id, ": ", reason)
    left_out[reason], tell_at[reason] = 0, now() + TELL_EVERY
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

-- Only the adaptor checks certificates by the authorities of a BackendTLSPolicy; each copy has a connection of its own.
local function send_adapted(mirror, method, line, rest)
    local ends = now() + LIFETIME
    for _ = 1, MAX_ENDPOINTS do
        local address, port, upstream = endpoints.pick(mirror.upstream)
        if not address or now() >= ends then
            return
        end
        local limit = upstream.brief and outages.BRIEF or outages.WHOLE
        local own = adaptor.line(mirror.tls, address, port, limit * 1000)
        local bytes = line .. adaptor.HEADER .. ": " .. own .. "\r\n" .. rest
        http_client.request(adapted, method, bytes, ends, wanted)
        if not adaptor.failure(own) then
            return
        end
        outages.failed(upstream, address .. ":" .. port, "connect_failed")
    end
end

local function send(mirror, method, line, rest, service)
    if mirror.tls then
        return send_adapted(mirror, method, line, rest)
    end
    return http_client.request(service, method, line .. rest, now() + LIFETIME, wanted)
end

local function hold(namespace, copies, bytes)
    in_flight, bytes_in_flight = in_flight + copies, bytes_in_flight + bytes
    local own = held[namespace] or { 0, 0 }
    own[1], own[2] = own[1] + copies, own[2] + bytes
    held[namespace] = own[1] > 0 and own or nil
end

local function has_room(namespace, bytes)
    local own = held[namespace]
    local copies_after, bytes_after = (own and own[1] or 0) + 1, (own and own[2] or 0) + bytes
    return copies_after + in_flight <= MAX_IN_FLIGHT
        and bytes_after + bytes_in_flight <= MAX_BYTES_IN_FLIGHT
end

local function deliver(premature, namespace, mirror, method, line, rest, service)
    if not premature then
        pcall(send, mirror, method, line, rest, service)
    end
    hold(namespace, -1, -#line - #rest)
end

local function service_of(mirror)
    local host = re_match(var.albc_upstream_host, [[^(.*?)(?::\d*)?$]], "jos")[1]
    return connection.service(mirror.protocol, host, 0, false, mirror.upstream)
end

local function start(mirror, method, target, rest, route)
    local line = method .. " " .. target .. " HTTP/1.1\r\n"
    local size, namespace = #line + #rest, route.source[2]
    if not has_room(namespace, size) then
        return leave_out(route.id, "too many copies in flight")
    end
    local service = not mirror.tls and service_of(mirror) or nil
    if timer_at(0, deliver, namespace, mirror, method, line, rest, service) then
        hold(namespace, 1, size)
    end
end

--- Sends copies of this request to the mirrors that are due.
---@param mirrors table prepared
---@param target string path and query, as sent to the backend
---@param route table decoded
---@param most integer copies of the request that may be made
---@return integer made
function _M.send(mirrors, target, route, most)
    local method, rest, made = var.request_method, nil, 0
    for i = 1, #mirrors do
        if not is_due(mirrors[i]) then
            goto continue
        end
        if made == most then
            leave_out(route.id, "the request has had all of its copies")
            break
        end
        if not rest then
            local body = copy.read_body()
            if not body then
                leave_out(route.id, "body of more than 128 KiB or of unknown length")
                break
            end
            rest = copy.build(body)
        end
        start(mirrors[i], method, target, rest, route)
        made = made + 1
        ::continue::
    end
    return made
end

return _M

--- Shared parts of every try: choose the next endpoint, set the peer, inspect the last try, refuse.
-- May yield: no. Phases: balancer; learn and the questions about the last try also in rewrite and header_filter.
local balancer = require("ngx.balancer")
local endpoints = require("alb.upstream.endpoints")
local errors = require("alb.errors")
local outages = require("alb.upstream.outages")
local request_memory = require("alb.nginx_request")
local stalls = require("alb.upstream.stalls")
local watch = require("alb.upstream.watch")

local ngx = ngx
local var = ngx.var
local cast = require("ffi").cast
local enable_keepalive = balancer.enable_keepalive
local recreate_request = balancer.recreate_request
local set_current_peer = balancer.set_current_peer
local str_byte = string.byte
local str_find = string.find
local str_gsub = string.gsub
local str_match = string.match
local min = math.min
local select = select
local tonumber = tonumber

local _M = {
    --- The pool that the current try takes its connection from and leaves it in, besides address and port; nil: that of
    --- nginx, which knows no more than these two. Set for each try, see balancer.lua.
    ---@type string?
    pool = nil,
    --- The value of $albc_after that asks for `answered`; see phases/header_filter.lua.
    DOUBTS = "?",
}

-- Seconds that a connection of a pool may be idle, and requests that it may serve; the same as nginx's in nginx.conf.
local IDLE, REQUESTS = 60, 10000

-- Tries that a request may have (turns.lua).
local MOST_TRIES = 10

--- Endpoints that a request may try if the route sets no retries.
_M.MAX_TRIES = 5

-- First byte of grpc:// and grpcs://.
local LOWER_G = 103

-- nginx answers 502. A location with error pages intercepts it, and so can leave the 500 of backends alone.
local BUSY = -3

--- Ends the request; phases/final.lua replaces the 500 or 502 by the status of the reason.
function _M.refuse(reason)
    var.albc_reason = reason
    return ngx.exit(var.albc_paged == "1" and BUSY or 500)
end

--- Returns whether the last try reached the backend: its connect time is a number. nginx's list of tries already ends
--- in " : " for the current try.
function _M.was_connected()
    local times = var.upstream_connect_time
    return times ~= nil and str_match(times, "%d[ :]*$") ~= nil
end

--- Returns whether the last try received a response header.
function _M.was_answered()
    local times = var.upstream_header_time
    return times ~= nil and str_match(times, "%d[ :]*$") ~= nil
end

--- The endpoints of this request's tries, as nginx lists them.
---@return string?
function _M.tried()
    -- nginx knows only the socket of the adaptor.
    local adapted = var.albc_tried
    return adapted ~= "" and adapted or var.upstream_addr
end

local function already_tried(address, port)
    local tried = _M.tried()
    if not tried then
        return false
    end
    local text = " " .. address .. ":" .. port
    tried = " " .. tried .. " "
    return str_find(tried, text .. ",", 1, true) ~= nil
        or str_find(tried, text .. " ", 1, true) ~= nil
end

--- The endpoint of the request's first try.
---@return string? address nil if there was none
---@return integer? port
function _M.first_tried()
    local address, port = str_match(var.upstream_addr or "", "^([^%s,]+):(%d+)")
    return address, tonumber(port)
end

--- An endpoint that this request has not tried; the next endpoint if it has tried all.
function _M.next_untried(upstream)
    for _ = 1, min(upstream.count, MOST_TRIES + 1) do
        local address, port = endpoints.again(upstream)
        if not already_tried(address, port) then
            return address, port
        end
    end
    return endpoints.again(upstream)
end

--- Whether the request has had all tries that any may have. nginx doesn't count those on kept connections, and a
--- backend can close hundreds of these without an answer.
function _M.has_had_all()
    -- Each try but the current one is followed by ", ", or by " : " at an internal redirect and at the end.
    return select(2, str_gsub(var.upstream_addr or "", "[,:] ", "")) >= MOST_TRIES
end

-- nginx's structure of the request; nil if it can't be read.
local function memory_of_upstream()
    local request = cast(request_memory.pointer, request_memory.address())
    if request_memory.is_known and request.upstream ~= nil then
        return request.upstream, tonumber(request.tries.count)
    end
end

--- Whether there is no other try after the current one.
function _M.is_last()
    local upstream = memory_of_upstream()
    return not upstream or upstream.tries_left <= 1
end

-- Whether a try may have failed on a connection that was kept: a backend may close an idle one at the moment when it is
-- taken. nginx takes no such try from those that are left.
local function was_kept(total, running)
    local upstream, begun = memory_of_upstream()
    return not upstream or begun - running > total - tonumber(upstream.tries_left)
end

-- Whether the last try could wait as long as any may: its request's deadline may have ended it.
local function has_waited()
    local seconds = str_match(var.upstream_response_time or "", "([%d.]+)[ :,-]*$")
    return (tonumber(seconds) or 0) >= outages.WAITED
end

-- Notes an endpoint that ended the connection before a response began. No internal redirect lies between the tries of a
-- request and its answer, so ngx.ctx lasts.
local function doubt(upstream, endpoint)
    local ctx = ngx.ctx
    local doubted = ctx.doubted or {}
    ctx.doubted = doubted
    doubted[#doubted + 1] = { upstream, endpoint }
    var.albc_after = _M.DOUBTS
end

--- Learns that an endpoint has answered a request that others have not.
function _M.answered()
    local ctx = ngx.ctx
    local doubted = ctx.doubted or {}
    ctx.doubted = nil
    for i = 1, #doubted do
        outages.failed(doubted[i][1], doubted[i][2], "closed_early")
    end
end

-- Why the last try says that its endpoint can't be reached; nil: it doesn't.
local function failure(status, total, running, adaptor)
    if _M.was_answered() then
        return nil
    end
    local adapted = adaptor and adaptor.failure(var.albc_endpoint)
    if adapted or not _M.was_connected() then
        if status ~= 504 and adapted ~= "timeout" then
            return "connect_failed"
        end
        return has_waited() and "connect_timeout" or nil
    end
    if status == 504 or watch.is_over() or was_kept(total, running) then
        return nil
    end
    return "closed_early"
end

--- Tells the memory of outages what the last try says about its endpoint: a connection that could not be made, or that
--- ended before a response began, if another endpoint answers the request. A status and a late response say nothing: a
--- slow application is not a dead one.
---@param upstream table prepared
---@param status integer 502 or 504
---@param total integer tries that the request may have
---@param running integer tries that have begun and not ended: 1 in the balancer, which runs for the next one, else 0
---@param adaptor table? backend_tls/adaptor.lua, where it opens the connections
function _M.learn(upstream, status, total, running, adaptor)
    if upstream.count == 1 or stalls.was_ended() then
        return
    end
    local reason = failure(status, total, running, adaptor)
    local address, port = str_match(_M.tried() or "", "([^ ,]+):(%d+)[ :]*$")
    if reason == "closed_early" and address then
        doubt(upstream, address .. ":" .. port)
    elseif reason and address then
        outages.failed(upstream, address .. ":" .. port, reason)
    end
end

--- Makes nginx rebuild an HTTP/2 request for another try. Otherwise, after a try on a keepalive connection, it would
--- send the header with the stream id of that connection and the body with another id.
function _M.renumber()
    if str_byte(var.albc_pass, 1) ~= LOWER_G then
        return
    end
    local ok, err = recreate_request()
    if not ok then
        ngx.log(ngx.ERR, "albc: another try: ", err)
    end
end

--- Sends this try to the endpoint.
---@param address string IPv6 in brackets; or of a unix socket
---@param port integer?
function _M.connect(address, port)
    local pool = _M.pool
    local ok, err = set_current_peer(address, port, pool)
    if ok and pool then
        ok, err = enable_keepalive(IDLE, REQUESTS)
    end
    if not ok then
        ngx.log(ngx.ERR, "albc: endpoint ", address, ":", port, ": ", err)
        return _M.refuse(errors.reasons.peer_failed)
    end
end

return _M

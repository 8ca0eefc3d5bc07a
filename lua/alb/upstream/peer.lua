--- What every try needs: the next endpoint, the socket's peer, what became of the last try, giving up.
-- May yield: no. Phases: balancer.
local balancer = require("ngx.balancer")
local endpoints = require("alb.upstream.endpoints")
local errors = require("alb.errors")

local ngx = ngx
local var = ngx.var
local recreate_request = balancer.recreate_request
local set_current_peer = balancer.set_current_peer
local str_byte = string.byte
local str_find = string.find
local str_match = string.match

local _M = {}

--- Endpoints that one request may try, where the route says nothing of retries.
_M.MAX_TRIES = 5

-- Of grpc:// and grpcs://.
local LOWER_G = 103

--- Ends the request; what leaves nginx as 500 gets its status in phases/final.
function _M.refuse(reason)
    var.albc_reason = reason
    return ngx.exit(500)
end

--- The last try reached the backend: its connect time is a number. nginx's lists of the tries already end in " : ",
--- which stands for the try that is being made.
function _M.was_connected()
    local times = var.upstream_connect_time
    return times ~= nil and str_match(times, "%d[ :]*$") ~= nil
end

--- The last try brought the header of a response.
function _M.was_answered()
    local times = var.upstream_header_time
    return times ~= nil and str_match(times, "%d[ :]*$") ~= nil
end

local function already_tried(address, port)
    local tried = var.upstream_addr
    if not tried then
        return false
    end
    local text = " " .. address .. ":" .. port
    tried = " " .. tried
    return str_find(tried, text .. ",", 1, true) ~= nil
        or str_find(tried, text .. " ", 1, true) ~= nil
end

--- An endpoint that this request has not tried, else the next in turn.
function _M.next_untried(upstream)
    for _ = 1, upstream.count do
        local address, port = endpoints.next(upstream)
        if not already_tried(address, port) then
            return address, port
        end
    end
    return endpoints.next(upstream)
end

--- Makes nginx write an HTTP/2 request anew for another try: it would send the one that it has under the number that
--- the stream had on the first connection, if that was a kept one, and the body under another.
function _M.renumber()
    if str_byte(var.albc_pass, 1) ~= LOWER_G then
        return
    end
    local ok, err = recreate_request()
    if not ok then
        ngx.log(ngx.ERR, "albc: another try: ", err)
    end
end

--- Sends this try there.
function _M.connect(address, port)
    local ok, err = set_current_peer(address, port)
    if not ok then
        ngx.log(ngx.ERR, "albc: endpoint ", address, ":", port, ": ", err)
        return _M.refuse(errors.reasons.peer_failed)
    end
end

return _M

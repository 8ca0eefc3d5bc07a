--- Counts answers 502, 503 and 504 that an endpoint gives one after another, for routes that want it left out for them
-- (`outageErrors`). Each worker counts its own. Answers of tries that nginx made up count, too.
-- May yield: no. Phases: header_filter.
local endpoints = require("alb.upstream.endpoints")
local outages = require("alb.upstream.outages")
local peer = require("alb.upstream.peer")
local target = require("alb.upstream.target")

local ngx = ngx
local var = ngx.var
local str_gmatch = string.gmatch

local _M = {}

local COUNTED = { ["502"] = true, ["503"] = true, ["504"] = true }
-- An address or a status in nginx's lists of a request's tries.
local ITEM = "[^%s,]*[^%s,:]"

local function has(upstream, endpoint)
    for i = 1, upstream.count do
        if upstream[2 * i - 1] .. ":" .. upstream[2 * i] == endpoint then
            return true
        end
    end
    return false
end

local function count_tries(upstream, limit)
    local counts = upstream.error_counts or {}
    upstream.error_counts = counts
    local next_status = str_gmatch(var.upstream_status or "", ITEM)
    for endpoint in str_gmatch(peer.tried() or "", ITEM) do
        local count = COUNTED[next_status()] and (counts[endpoint] or 0) + 1 or nil
        counts[endpoint] = count
        if count == limit and has(upstream, endpoint) then
            counts[endpoint] = nil
            outages.failed(upstream, endpoint, "error_statuses")
        end
    end
end

---@param route table prepared, with `outageErrors`
function _M.count(route)
    local upstream = endpoints.upstream(target.upstream(var.albc_backend) or "")
    if upstream and upstream.count > 1 then
        count_tries(upstream, route.outageErrors)
    end
end

return _M

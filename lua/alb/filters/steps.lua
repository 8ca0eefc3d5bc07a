--- What a route, or a backend with filters of its own, does to a request before it goes on.
--
-- Order: redirect, body limit, CORS preflight, access (source ranges and auth), request headers. On routes with
-- `authFirst` the redirect comes after access.
-- May yield: yes (forward auth). Phases: access.
local access = require("alb.auth.access")
local body = require("alb.body")
local cors = require("alb.filters.cors")
local errors = require("alb.errors")
local headers = require("alb.filters.headers")
local index = require("alb.policy.index")
local redirect = require("alb.filters.redirect")

local ngx = ngx
local var = ngx.var
local exit = errors.exit
local reasons = errors.reasons

local _M = {}

local function check_body(holder)
    local limit = holder.bodyLimit
    if not limit then
        return nil
    end
    local length = body.length()
    if length and length > limit then
        return exit(413, reasons.body_too_large)
    end
    -- Without a length nginx counts while it reads, in a location that has the limit.
    return not length and limit or nil
end

---@param holder table a prepared route, or the filters of a backend
---@param server_id string
---@return integer? counted_limit bytes that a body without a length may have
function _M.run(holder, server_id)
    if holder.responds then
        var.albc_after = "1"
    end
    if holder.refuse then
        return exit(holder.refuse[1], holder.refuse[2])
    end
    if holder.redirect and not holder.authFirst then
        redirect.apply(holder, index.get("servers", server_id))
    end
    local counted_limit = check_body(holder)
    if holder.cors then
        cors.preflight(holder)
    end
    if holder.checked then
        access.check(holder)
    end
    if holder.authFirst then
        redirect.apply(holder, index.get("servers", server_id))
    end
    if holder.requestHeaders then
        headers.request(holder)
    end
    return counted_limit
end

return _M

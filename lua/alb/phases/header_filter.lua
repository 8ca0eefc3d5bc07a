--- Response headers: error reasons, CORS, response filters, cookies of the auth service.
-- May yield: no. Phases: header_filter. All state is in nginx variables, so it survives until nginx's own error pages.
local balancer = require("alb.upstream.balancer")
local chosen_filters = require("alb.upstream.choice").filters
local cookies = require("alb.auth.cookies")
local counters = require("alb.counters")
local error_statuses = require("alb.upstream.error_statuses")
local errors = require("alb.errors")
local respond = require("alb.filters.chain").respond
local index = require("alb.policy.index")
local log = require("alb.log")
local peer = require("alb.upstream.peer")
local request_id = require("alb.request_id")
local session = require("alb.upstream.session")
local watch = require("alb.upstream.watch")

local ngx = ngx
local var = ngx.var
local str_sub = string.sub
local tonumber = tonumber
-- "1" or peer.DOUBTS if `after` has something to do, else empty.
local read_after = require("alb.nginx_variable").reader("albc_after")

local _M = {}

-- The first status of a final response, and that of an upgrade.
local FINAL, SWITCHING = 200, 101
-- nginx takes a response without a status line for HTTP/0.9: it sets status 9 and would send the bytes unchanged. It
-- writes no header to HTTP/1 clients then, so the text of @no_http has one.
local HTTP_09 = 9
local BARE = "HTTP/1.1 502 Bad Gateway\r\nX-ALB-ERR-REASON: "
    .. errors.reasons.bad_gateway
    .. "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
local DOUBTS = peer.DOUBTS:byte()
-- Leads to @no_http (templates/partials/server.conf.hbs). No page can be for this status.
local REFUSED = 399

-- nginx passes on any three digits as a final response. A client takes 1xx for an interim one and the body for the
-- final one, so a backend could answer the next request on a connection that a proxy shares between clients. Less than
-- 100 is no status at all (RFC 9110, 15).
local function is_refused(status)
    return status < FINAL and not (status == SWITCHING and var.albc_upgrade ~= "")
end

local function refuse(status)
    var.albc_reason = errors.reasons.bad_gateway
    if status == HTTP_09 and str_sub(var.server_protocol, 1, 6) == "HTTP/1" then
        var.albc_no_http = BARE
    end
    return ngx.exit(REFUSED)
end

local function after(status, is_page)
    if status == SWITCHING then
        -- Deadlines end with the response header; the tunnel has none.
        watch.stop()
    end
    local route = index.route(var.albc_route)
    if route then
        respond(route)
        if route.outageErrors then
            error_statuses.count(route)
        end
        local filters = chosen_filters(route)
        if filters then
            respond(filters)
        end
        if route.session and not is_page then
            session.response(route)
        end
    end
    if var.albc_cookies ~= "" then
        cookies.apply(status)
    end
end

-- nginx gave up on the backend.
local function learn(status)
    if not errors.backend_answered() then
        balancer.learn(status)
    end
end

---@param is_page boolean? the response is an error page of another backend
local function finish(status, is_page)
    if status >= 400 then
        -- nginx answered before the access phase.
        if var.albc_id == "" then
            request_id.draw()
            log.show()
        end
        if (status == 502 or status == 504) and var.albc_reason == "" then
            learn(status)
        end
        errors.annotate(status)
    end
    local mark, marked = read_after()
    if marked == 1 then
        if mark[0] == DOUBTS and errors.backend_answered() then
            peer.answered()
        end
        after(status, is_page)
    end
end

--- Called by header_filter_by_lua, for every response to a client.
function _M.run()
    local status = ngx.status
    if is_refused(status) then
        return refuse(status)
    end
    counters.response(status)
    finish(status)
end

--- Called instead of `run` for error pages of backends.
function _M.run_page()
    if is_refused(ngx.status) then
        return refuse(ngx.status)
    end
    if var.albc_page_kept ~= "" then
        ngx.status = tonumber(var.albc_page)
    end
    local status = ngx.status
    counters.response(status)
    finish(status, true)
end

--- Called instead of `run` for requests that don't come from clients: hops inside nginx, and albc's own.
function _M.run_inside()
    local status = ngx.status
    if status == HTTP_09 then
        return refuse(status)
    end
    finish(status)
end

return _M

--- Response headers: error reasons, CORS, response filters, cookies of the auth service.
-- May yield: no. Phases: header_filter. All state is in nginx variables, so it survives until nginx's own error pages.
local chosen_filters = require("alb.route.prepare").chosen_filters
local cookies = require("alb.auth.cookies")
local counters = require("alb.counters")
local errors = require("alb.errors")
local respond = require("alb.filters.chain").respond
local index = require("alb.policy.index")
local log = require("alb.log")
local request_id = require("alb.request_id")
local session = require("alb.upstream.session")
local watch = require("alb.upstream.watch")

local ngx = ngx
local var = ngx.var
local str_sub = string.sub
local tonumber = tonumber
-- "1" if `after` has something to do, else empty.
local read_after = require("alb.nginx_variable").reader("albc_after")

local _M = {}

-- nginx takes a response without a status line for HTTP/0.9: it sets status 9 and would send the bytes unchanged. It
-- writes no header to HTTP/1 clients then, so @no_http contains one (templates/partials/server.conf.hbs).
local HTTP_09, NO_HTTP = 9, 599

local function refuse_http_09()
    var.albc_reason = errors.reasons.bad_gateway
    return ngx.exit(str_sub(var.server_protocol, 1, 6) == "HTTP/1" and NO_HTTP or 502)
end

local function after(status, is_page)
    if status == 101 then
        -- Deadlines end with the response header; the tunnel has none.
        watch.stop()
    end
    local route = index.route(var.albc_route)
    if route then
        respond(route)
        local choice = var.albc_choice
        local filters = choice ~= "" and chosen_filters(route, choice)
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

---@param is_page boolean? the response is an error page of another backend
local function finish(status, is_page)
    if status >= 400 then
        -- nginx answered before the access phase.
        if var.albc_id == "" then
            request_id.draw()
            log.show()
        end
        errors.annotate(status)
    end
    local _, marked = read_after()
    if marked == 1 then
        after(status, is_page)
    end
end

--- Called by header_filter_by_lua, for every response to a client.
function _M.run()
    local status = ngx.status
    if status == HTTP_09 then
        return refuse_http_09()
    end
    counters.response(status)
    finish(status)
end

--- Called instead of `run` for error pages of backends.
function _M.run_page()
    if ngx.status == HTTP_09 then
        return refuse_http_09()
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
        return refuse_http_09()
    end
    finish(status)
end

return _M

--- Response headers: error reasons, CORS, response filters, cookies of the auth service.
-- May yield: no. Phases: header_filter. All state is in nginx variables, so it holds for nginx's own error pages too.
local cookies = require("alb.auth.cookies")
local counters = require("alb.counters")
local errors = require("alb.errors")
local respond = require("alb.filters.steps").respond
local index = require("alb.policy.index")
local log_text = require("alb.log_text")
local request_id = require("alb.request_id")
local session = require("alb.upstream.session")
local steps = require("alb.route.steps")
local watch = require("alb.upstream.watch")

local ngx = ngx
local var = ngx.var
local str_sub = string.sub
-- "1" when there is something to do, else empty.
local read_after = require("alb.nginx_variable").reader("albc_after")

local _M = {}

-- nginx takes an answer without a status line for HTTP/0.9: it gives it the status 9 and would send its bytes as they
-- are. To a client of HTTP/1 it writes no header any more, so @no_http holds one (templates/partials/server.conf.hbs).
local HTTP_09, NO_HTTP = 9, 599

local function refuse_http_09()
    var.albc_reason = errors.reasons.bad_gateway
    return ngx.exit(str_sub(var.server_protocol, 1, 6) == "HTTP/1" and NO_HTTP or 502)
end

local function after(status)
    if status == 101 then
        -- The answer has come; the tunnel that begins has no deadline.
        watch.stop()
    end
    local route = index.route(var.albc_route)
    if route then
        respond(route)
        local choice = var.albc_choice
        local filters = choice ~= "" and steps.chosen_filters(route, choice)
        if filters then
            respond(filters)
        end
        if route.session then
            session.response(route)
        end
    end
    if var.albc_cookies ~= "" then
        cookies.apply(status)
    end
end

local function finish(status)
    if status >= 400 then
        -- An answer that nginx made before Lua saw the request.
        if var.albc_id == "" then
            request_id.draw()
            log_text.show()
        end
        errors.annotate(status)
    end
    local _, marked = read_after()
    if marked == 1 then
        after(status)
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

--- Called instead for what is no client's request: hops inside nginx, and albc itself.
function _M.run_inside()
    local status = ngx.status
    if status == HTTP_09 then
        return refuse_http_09()
    end
    finish(status)
end

return _M

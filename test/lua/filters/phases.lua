--- Runs the filters of one route in the phases and the order that the data plane runs them in. The route comes with the
-- request, as JSON in base64, so that a test can have any.
local cjson = require("cjson")
local index = require("alb.policy.index")
local rewrite = require("alb.filters.rewrite")
local chain = require("alb.filters.chain")

local _M = {}

local function setup()
    return cjson.decode(ngx.decode_base64(ngx.var.http_x_test_setup))
end

function _M.rewrite()
    local test = setup()
    local route = test.route
    route.id, route.auths = "test", {}
    index.get = function()
        return test.server
    end
    chain.prepare(route)
    ngx.ctx.route = route
    ngx.header["X-Test-Path"] = ngx.encode_base64(ngx.var.uri)
    ngx.req.clear_header("X-Test-Setup")
    chain.run(route)
    if not route.rewrite then
        ngx.var.albc_target = ngx.var.request_uri
        return
    end
    if test.inPlace then
        rewrite.apply(route)
        return ngx.exec("@in_place")
    end
    ngx.var.albc_target = rewrite.uri(route) or ngx.var.request_uri
end

function _M.header_filter()
    local route = ngx.ctx.route
    if route then
        chain.respond(route)
    end
end

return _M

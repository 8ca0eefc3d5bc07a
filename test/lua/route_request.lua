--- Answers a request with the route that the router finds for it, for tests.
-- The bindings of a listener by host key come as JSON in the header X-Test-Hosts.
local cjson = require("cjson.safe")
local candidates = require("alb.route.candidate")
local predicates = require("alb.route.predicates")
local host_keys = require("alb.route.host_keys")
local host_table = require("alb.route.host_table")
local find = require("alb.route.select").find

local _M = {}

function _M.run()
    predicates.start()
    local hosts = cjson.decode(ngx.decode_base64(ngx.var.http_x_test_hosts))
    local lists = {}
    for _, key in ipairs(host_keys.matching(ngx.var.host)) do
        lists[#lists + 1] = hosts[key]
    end
    local candidate = find(host_table.build(lists), ngx.var.uri)
    ngx.header["X-Test-Broken"] = candidate and candidate.broken and "1" or nil
    ngx.print(candidate and candidate[candidates.ID] or "")
end

return _M

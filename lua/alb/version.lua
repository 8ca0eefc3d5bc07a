--- The versions that this data plane supports.
local _M = {
    -- Format of policy.json; any other is refused, and the current policy stays in use.
    policy_format = 4,
    -- ngx_lua 0.10.26: balancer and TLS functions that the phases call.
    minimum_ngx_lua = 10026,
}

return _M

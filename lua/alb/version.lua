--- What this data plane understands and needs.
local _M = {
    -- Format of policy.json; another one is refused and the policy in use stays.
    policy_format = 4,
    -- ngx_lua 0.10.26: balancer and TLS functions that the phases call.
    minimum_ngx_lua = 10026,
}

return _M

--- The versions that this data plane supports.
local _M = {
    -- Format of policy.json; any other is refused, and the current policy stays in use.
    policy_format = 4,
    -- ngx_lua 0.10.26 has the functions that the phases call; 0.10.27 mends CVE-2024-33452, request smuggling by HEAD.
    minimum_ngx_lua = 10027,
}

return _M

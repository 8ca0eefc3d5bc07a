--- The versions that this data plane supports.
local _M = {
    -- Format of policy.json; any other is refused, and the current policy stays in use.
    policy_format = 5,
    -- 0.10.27 mends CVE-2024-33452, request smuggling by HEAD; 0.10.28 is the oldest whose pools of connections are
    -- tested to tell server names apart (test/lua/upstream/kept-connections.test.ts).
    minimum_ngx_lua = 10028,
}

return _M

--- Runs in nginx's master when it starts or reloads: loads all modules, reads policy.json, makes the one global.
-- May yield: no. Phases: init.
local version = require("alb.version")

local _M = {}

-- Bytes.
local JIT_STACK = 1024 * 1024

-- A shard that several modules make ready: each adds what it needs.
local function prepare_route(route, id)
    local index = require("alb.policy.index")
    route.id = id
    route.auths = {}
    for i, auth_id in ipairs(route.auth or {}) do
        -- An id without its policy must not open the path.
        route.auths[i] = index.get("auths", auth_id)
            or { invalid = "policy " .. auth_id .. " is missing" }
    end
    require("alb.upstream.weighted").prepare(route)
    require("alb.upstream.affinity").prepare(route)
    require("alb.filters.redirect").prepare(route)
    require("alb.filters.cors").prepare(route)
    require("alb.filters.rewrite").prepare(route)
    require("alb.filters.headers").prepare(route)
    require("alb.route.steps").prepare(route)
end

local function certificate(server_id)
    return require("alb.tls.certificate").serve(server_id)
end

--- Called by init_by_lua.
function _M.run()
    if ngx.config.ngx_lua_version < version.minimum_ngx_lua then
        error(
            "albc: ngx_lua "
                .. ngx.config.ngx_lua_version
                .. " is too old, "
                .. version.minimum_ngx_lua
                .. " or newer is needed"
        )
    end
    require("resty.core")
    -- Before the first pattern is compiled. PCRE's 32 KiB are too few for the longest path and a pattern like `(a|b)*`.
    require("ngx.re").opt("jit_stack_size", JIT_STACK)
    require("alb.policy.loader").start()
    local worker = require("alb.phases.worker")
    worker.mark_generation()
    local prepare = require("alb.policy.index").prepare
    prepare.routes = prepare_route
    prepare.servers = require("alb.policy.listeners").prepare
    prepare.auths = require("alb.auth.access").prepare
    prepare.upstreams = require("alb.upstream.endpoints").prepare
    -- The only global: `*_by_lua_block` bodies are one call of a function of this table.
    rawset(_G, "albc", {
        init_worker = worker.init,
        rewrite = require("alb.phases.rewrite").run,
        rewrite_guarded = require("alb.phases.rewrite").run_guarded,
        balance = require("alb.upstream.balancer").balance,
        header_filter = require("alb.phases.header_filter").run,
        certificate = certificate,
        control = require("alb.phases.control").run,
        final = require("alb.phases.final").run,
        final_grpc = require("alb.phases.final").run_grpc,
    })
    require("alb.tls.certificate")
end

return _M

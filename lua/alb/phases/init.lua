--- Runs in nginx's master when it starts or reloads: loads all modules, reads policy.json, defines the only global.
-- May yield: no. Phases: init.
local version = require("alb.version")

local _M = {}

-- Bytes.
local JIT_STACK = 1024 * 1024
-- Each name in compiled code is a constant. With LuaJIT's default of 500 constants, a request with basic auth would not
-- be compiled.
local JIT_CONSTANTS = "maxirconst=4000"

local function certificate(server_id)
    return require("alb.tls.certificate").serve(server_id)
end

local function check_version()
    if ngx.config.ngx_lua_version < version.minimum_ngx_lua then
        error(
            "albc: ngx_lua "
                .. ngx.config.ngx_lua_version
                .. " is too old, "
                .. version.minimum_ngx_lua
                .. " or newer is needed"
        )
    end
end

-- Gives modules the functions of others that require them.
local function connect()
    local prepare = require("alb.policy.index").prepare
    prepare.routes = require("alb.route.prepare").prepare
    prepare.servers = require("alb.policy.listeners").prepare
    prepare.auths = require("alb.auth.access").prepare
    prepare.headers = require("alb.auth.auth_request").prepare_headers
    prepare.upstreams = require("alb.upstream.endpoints").prepare
    require("alb.errors").replace = require("alb.error_pages").replace
end

--- Called by init_by_lua.
---@param wanted string what the access log needs, as in log.lua
---@param rows integer routes and auth policies that are counted by themselves; 0: none
---@param locations string[] as in known_locations.lua
---@param trace string? as in trace.lua
function _M.run(wanted, rows, locations, trace)
    check_version()
    require("resty.core")
    require("jit.opt").start(JIT_CONSTANTS)
    -- Before the first pattern is compiled. PCRE's default of 32 KiB is too small for the longest path and a pattern
    -- like `(a|b)*`.
    require("ngx.re").opt("jit_stack_size", JIT_STACK)
    require("alb.log").start(wanted)
    require("alb.trace").start(trace)
    require("alb.known_locations").start(locations)
    require("alb.policy.loader").start()
    local worker = require("alb.phases.worker")
    worker.mark_generation()
    require("alb.rows").start(rows)
    require("alb.request_counts").on = rows > 0
    local stop_watch, count =
        require("alb.upstream.watch").stop, require("alb.request_counts").finish
    require("alb.gateway_key").start()
    require("alb.upstream.session_token").start()
    require("alb.auth.mark").start()
    connect()
    local error_pages = require("alb.error_pages")
    -- The only global: each `*_by_lua_block` calls one function of this table.
    rawset(_G, "albc", {
        init_worker = worker.init,
        access = require("alb.phases.access").run,
        access_again = require("alb.phases.access").run_again,
        access_guarded = require("alb.phases.access").run_guarded,
        balance = require("alb.upstream.balancer").balance,
        balance_tls = require("alb.upstream.balancer").balance_tls,
        header_filter = require("alb.phases.header_filter").run,
        header_filter_inside = require("alb.phases.header_filter").run_inside,
        header_filter_page = require("alb.phases.header_filter").run_page,
        error_file = error_pages.send_file,
        plain_error = error_pages.plain,
        certificate = certificate,
        balance_adaptor = require("alb.upstream.balancer").balance_adaptor,
        adapt = require("alb.backend_tls.carry").enter,
        carry = require("alb.backend_tls.carry").run,
        control = require("alb.phases.control").run,
        final = require("alb.phases.final").run,
        final_status = require("alb.phases.final").run_status,
        challenge = require("alb.phases.final").run_challenges,
        read = require("alb.upstream.location").read,
        body_filter = require("alb.upstream.watch").body_filter,
        count = count,
        log = rows == 0 and stop_watch or function()
            stop_watch()
            return count()
        end,
    })
    require("alb.tls.certificate")
end

return _M

--- The control socket: accepts policies, reloads nginx, reports the version that each worker serves and the counters.
-- Only albc can reach it: the unix socket is in a folder that is closed to other users.
-- May yield: yes. Phases: content.
local body = require("alb.body")
local cjson = require("cjson.safe")
local counters = require("alb.counters")
local ffi = require("ffi")
local outages = require("alb.upstream.outages")
local shared_outages = require("alb.upstream.shared_outages")
local garbage = require("alb.garbage")
local process = require("ngx.process")
local protocol = require("alb.policy.protocol")
local request_counts = require("alb.request_counts")
local rows = require("alb.rows")
local store = require("alb.policy.store")
local version = require("alb.version")
local worker = require("alb.phases.worker")

local ngx = ngx

ffi.cdef("int kill(int pid, int signal);")
local SIGHUP = 1

local _M = {}

local function answer(status, value)
    ngx.status = status
    ngx.header["Content-Type"] = "application/json"
    ngx.say(cjson.encode(value))
    return ngx.exit(ngx.OK)
end

-- Key in the shared state while a policy is written; it expires after this many seconds if its writer has died.
local WRITING = "writing"
local LONGEST_SILENCE = 5

-- Lets the worker serve requests between two parts of a large policy.
local function pause()
    ngx.sleep(0.001)
end

local function pause_writing()
    ngx.shared.albc_state:set(WRITING, true, LONGEST_SILENCE)
    pause()
end

local function commit(request)
    local _, _, served = store.committed()
    if request.from == "-" then
        return store.apply_full(request.to, request.changes, pause_writing)
    elseif request.from == served then
        return store.apply_delta(request.to, request.changes, pause_writing)
    end
    return nil, "another version is served"
end

-- Returns the status and body of the response.
local function take_policy(text)
    local request, err = protocol.parse(text, pause)
    if not request then
        return 422, { error = err }
    end
    local state = ngx.shared.albc_state
    if not state:add(WRITING, true, LONGEST_SILENCE) then
        return 409, { error = "another policy is being written" }
    end
    local ok
    ok, err = commit(request)
    state:delete(WRITING)
    if not ok then
        return err == "no memory" and 507 or 409, { error = err }
    end
    worker.sync()
    return 200, { version = request.to }
end

local function put_policy()
    return answer(garbage.without_collection(take_policy, body.read() or ""))
end

local function expect_policy()
    worker.expect()
    return answer(200, {})
end

-- Endpoints that are out and named in the status.
local MOST_OUT = 1000

local function get_status()
    local workers = setmetatable({}, cjson.array_mt)
    local state = ngx.shared.albc_state
    local count = ngx.worker.count()
    for id = 0, count - 1 do
        local line = state:get("worker\t" .. id)
        local pid, generation, served = (line or ""):match("^(%d+) (%d+) (.*)$")
        if pid then
            workers[#workers + 1] =
                { pid = tonumber(pid), generation = tonumber(generation), version = served }
        end
    end
    local _, _, served = store.committed()
    return answer(200, {
        version = served,
        format = version.policy_format,
        generation = state:get("generation"),
        expected = count,
        workers = workers,
        out = setmetatable(outages.list(MOST_OUT), cjson.array_mt),
    })
end

local function get_draining()
    return answer(200, { generations = worker.draining(), most = worker.MOST_DRAINING })
end

-- A failed reload leaves sockets without a listener, and nginx can't listen on them again.
local function remove_dead_sockets()
    local file = io.open(ngx.config.prefix() .. "nginx.conf")
    local text = file and file:read("*a") or ""
    if file then
        file:close()
    end
    for path in text:gmatch("listen unix:([%w/-]+%.sock)") do
        local socket = ngx.socket.tcp()
        local ok, err = socket:connect("unix:" .. path)
        if ok then
            socket:close()
        elseif err == "connection refused" then
            os.remove(path)
        end
    end
end

-- A worker may signal its master if both run as the same user, as in every container without root.
local function reload()
    remove_dead_sockets()
    if ffi.C.kill(process.get_master_pid(), SIGHUP) == 0 then
        return answer(200, {})
    end
    return answer(500, { error = "the master of nginx runs as another user" })
end

-- Empty if this nginx lacks the stub_status module.
local function connections()
    local var = ngx.var
    return {
        active = tonumber(var.connections_active),
        reading = tonumber(var.connections_reading),
        writing = tonumber(var.connections_writing),
        waiting = tonumber(var.connections_waiting),
    }
end

local function get_counters()
    local found = counters.read()
    found.connections = connections()
    found.outages = shared_outages.counts()
    found.out = select(2, outages.list(0))
    return answer(200, found)
end

-- How many rows go into one part of the answer.
local ROWS_AT_ONCE = 500

-- A line of JSON that describes the rows; then for each row its key, a line break, and its numbers as bytes.
local function send_rows()
    ngx.header["Content-Type"] = "application/octet-stream"
    ngx.say(cjson.encode({
        bounds = request_counts.BOUNDS,
        outcomes = counters.OUTCOMES,
        width = rows.WIDTH,
    }))
    local parts, n = {}, 0
    local function send()
        ngx.print(parts)
        parts, n = {}, 0
    end
    rows.read(function(key, sums)
        parts[n + 1], parts[n + 2], parts[n + 3] = key, "\n", sums
        n = n + 3
        if n >= 3 * ROWS_AT_ONCE then
            send()
        end
    end, pause)
    send()
    return ngx.exit(ngx.OK)
end

local calls = {
    ["PUT /policy"] = put_policy,
    ["POST /expect"] = expect_policy,
    ["POST /reload"] = reload,
    ["GET /status"] = get_status,
    ["GET /draining"] = get_draining,
    ["GET /counters"] = get_counters,
    ["GET /rows"] = send_rows,
}

local function no_such_call()
    return answer(404, { error = "no such call" })
end

--- Called by content_by_lua of the control server.
function _M.run()
    local call = calls[ngx.req.get_method() .. " " .. ngx.var.uri] or no_such_call
    return call()
end

return _M

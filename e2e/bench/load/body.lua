-- A script for wrk: one request again and again, with a body of so many bytes.
-- wrk … -- HOST PATH BYTES     GET, or POST when there are bytes
-- Prints BEGIN when it is ready, and RESULT <requests> <failures> <duration µs> <p50 µs> <p99 µs>.
-- luacheck: globals wrk init done

local tell = dofile(debug.getinfo(1, "S").source:match("^@(.*)/") .. "/result.lua")

function init(args)
    local bytes = tonumber(args[3])
    wrk.headers.Host = args[1]
    wrk.path = args[2]
    if bytes > 0 then
        wrk.method = "POST"
        wrk.body = ("x"):rep(bytes)
    end
    print("BEGIN")
    io.stdout:flush()
end

function done(summary, latency)
    local errors = summary.errors
    local failures = errors.connect + errors.read + errors.write + errors.status + errors.timeout
    tell(summary, latency, failures)
end

-- A script for wrk: one request again and again, with a body of so many bytes.
-- wrk … -- HOST PATH BYTES     GET, or POST when there are bytes
-- Prints BEGIN when it is ready, and RESULT <requests> <failures> <duration µs> <p50 µs> <p99 µs>.
-- luacheck: globals wrk init done

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
    local p50, p99 = latency:percentile(50), latency:percentile(99)
    print(("RESULT %d %d %d %d %d"):format(summary.requests, failures, summary.duration, p50, p99))
end

-- A script for wrk: requests spread evenly over the lines `host path` of a file, which follow header lines.
-- wrk … -- FILE [AUTHORIZATION]
-- Prints BEGIN when it is ready, and RESULT <requests> <failures> <duration µs> <p50 µs> <p99 µs>.
-- luacheck: globals wrk init request done

local tell = dofile(debug.getinfo(1, "S").source:match("^@(.*)/") .. "/result.lua")

local requests, count, at = {}, 0, 0

function init(args)
    local headers = { Authorization = args[2] }
    for line in io.lines(args[1]) do
        local name, value = line:match("^(%S+): (.*)$")
        local host, path = line:match("^(%S+) (%S+)$")
        if name then
            headers[name] = value
        elseif host then
            headers.Host = host
            count = count + 1
            requests[count] = wrk.format("GET", path, headers)
        end
    end
    print("BEGIN")
    io.stdout:flush()
end

function request()
    at = at % count + 1
    return requests[at]
end

function done(summary, latency)
    local errors = summary.errors
    local failures = errors.connect + errors.read + errors.write + errors.status + errors.timeout
    tell(summary, latency, failures)
end

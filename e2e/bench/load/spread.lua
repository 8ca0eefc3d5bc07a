-- A script for wrk: requests like a browser's, spread evenly over the lines `host path` of a file.
-- wrk … -- FILE [AUTHORIZATION]
-- Prints BEGIN when it is ready, and RESULT <requests> <failures> <duration µs> <p50 µs> <p99 µs>.
-- luacheck: globals wrk init request done

local requests, count, at = {}, 0, 0

-- What browsers send besides Host.
local function headers(host, authorization)
    return {
        Host = host,
        Authorization = authorization,
        Accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        ["Accept-Encoding"] = "gzip, deflate, br",
        ["Accept-Language"] = "en-US,en;q=0.5",
        ["Cache-Control"] = "no-cache",
        Cookie = "session=0123456789abcdef; theme=dark",
        DNT = "1",
        Referer = "http://www.example/start",
        ["User-Agent"] = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
    }
end

function init(args)
    for line in io.lines(args[1]) do
        local host, path = line:match("^(%S+) (%S+)$")
        count = count + 1
        requests[count] = wrk.format("GET", path, headers(host, args[2]))
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
    local p50, p99 = latency:percentile(50), latency:percentile(99)
    print(("RESULT %d %d %d %d %d"):format(summary.requests, failures, summary.duration, p50, p99))
end

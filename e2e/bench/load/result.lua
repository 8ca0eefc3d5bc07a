-- How the scripts for wrk tell what they have measured: RESULT <requests> <failures> <duration µs> <p50 µs> <p99 µs>.
return function(summary, latency, failures)
    local p50, p99 = latency:percentile(50), latency:percentile(99)
    print(("RESULT %d %d %d %d %d"):format(summary.requests, failures, summary.duration, p50, p99))
end

-- A script for wrk: each connection pauses after every answer, so the gateway is not saturated: latencies are its own.
-- wrk … -- HOST PAUSE_MS [USER]     with a user: every request is a login with a password that was never tried before
-- Prints BEGIN when it is ready, and RESULT <requests> <failures> <duration µs> <p50 µs> <p99 µs>.
-- A refused login is a success.
-- luacheck: globals wrk init request delay done

local tell = dofile(debug.getinfo(1, "S").source:match("^@(.*)/") .. "/result.lua")

local ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

local host, pause, user
local sent = 0

local function base64(text)
    local out = {}
    for i = 1, #text, 3 do
        local a, b, c = text:byte(i, i + 2)
        local bits = a * 65536 + (b or 0) * 256 + (c or 0)
        for shift = 3, 0, -1 do
            local digit = math.floor(bits / 64 ^ shift) % 64
            local missing = shift < (c and 0 or b and 1 or 2)
            out[#out + 1] = missing and "=" or ALPHABET:sub(digit + 1, digit + 1)
        end
    end
    return table.concat(out)
end

function init(args)
    host, pause, user = args[1], tonumber(args[2]), args[3]
    math.randomseed(os.time())
    print("BEGIN")
    io.stdout:flush()
end

function request()
    sent = sent + 1
    local headers = { Host = host }
    if user then
        local guess = ("%d-%d"):format(math.random(1e9), sent)
        headers.Authorization = "Basic " .. base64(user .. ":" .. guess)
    end
    return wrk.format("GET", "/", headers)
end

function delay()
    return pause
end

function done(summary, latency)
    local errors = summary.errors
    local failures = errors.connect + errors.read + errors.write + errors.timeout
    if not user then
        failures = failures + errors.status
    end
    tell(summary, latency, failures)
end

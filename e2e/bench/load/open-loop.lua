-- A program for luajit: sends the requests of a file at random times, so many a second as independent users do
-- (a Poisson process). The times are planned: no request waits for the answer to another one, and its latency counts
-- from the planned time. So a pause of the proxy shows in every request that it delays (no coordinated omission).
-- luajit open-loop.lua PORT RATE SECONDS FILE [AUTHORIZATION]     the file is that of spread.lua
-- Prints BEGIN when it begins, TAIL <requests without 200> <p99.9 µs>, and
-- RESULT <requests> 0 <duration µs> <p50 µs> <p99 µs>.
local ffi = require("ffi")

ffi.cdef([[
struct timespec { long seconds; long nanoseconds; };
struct pollfd { int fd; short events; short revents; };
struct sockaddr_in { unsigned short family; unsigned short port; unsigned char address[4]; unsigned char zero[8]; };
int socket(int domain, int type, int protocol);
int connect(int fd, const struct sockaddr_in *address, unsigned int length);
int setsockopt(int fd, int level, int name, const int *value, unsigned int length);
ssize_t send(int fd, const char *bytes, size_t length, int flags);
ssize_t recv(int fd, char *bytes, size_t length, int flags);
int close(int fd);
int clock_gettime(int clock, struct timespec *now);
int ppoll(struct pollfd *fds, unsigned long count, const struct timespec *timeout, const void *signals);
int prctl(int option, unsigned long value, unsigned long, unsigned long, unsigned long);
]])

local C = ffi.C
local AF_INET, SOCK_STREAM, IPPROTO_TCP, TCP_NODELAY, MSG_NOSIGNAL = 2, 1, 6, 1, 0x4000
local CLOCK_MONOTONIC, PR_SET_TIMERSLACK, POLLIN = 1, 29, 1

-- Opened before the first request; further ones when all are in use, up to what one ppoll takes. Then requests wait
-- here.
local CONNECTIONS, MOST = 64, 1000
-- Seconds for the last answers. A request without one, or with another than 200, counts as one that took so long.
local PATIENCE = 5

local port, rate, seconds = tonumber(arg[1]), tonumber(arg[2]), tonumber(arg[3])
local authorization = arg[5]

local buffer = ffi.new("char[?]", 65536)
local polled = ffi.new("struct pollfd[?]", MOST)
local time = ffi.new("struct timespec")

local free, busy, latencies, open = {}, {}, {}, 0
local queue, first = {}, 1
local unanswered = 0

local function clock()
    C.clock_gettime(CLOCK_MONOTONIC, time)
    return tonumber(time.seconds) + tonumber(time.nanoseconds) / 1e9
end

local function read_requests(file)
    local headers, requests = {}, {}
    if authorization then
        headers[1] = "Authorization: " .. authorization .. "\r\n"
    end
    for line in io.lines(file) do
        local host, path = line:match("^(%S+) (/%S*)$")
        if host then
            local rest = table.concat(headers) .. "\r\n"
            requests[#requests + 1] = ("GET %s HTTP/1.1\r\nHost: %s\r\n%s"):format(path, host, rest)
        elseif line ~= "" then
            headers[#headers + 1] = line .. "\r\n"
        end
    end
    return requests
end

local function connect()
    local fd = open < MOST and C.socket(AF_INET, SOCK_STREAM, 0) or -1
    if fd < 0 then
        return nil
    end
    local address = ffi.new("struct sockaddr_in", { family = AF_INET })
    address.port = bit.bor(bit.lshift(bit.band(port, 255), 8), bit.rshift(port, 8))
    address.address[0], address.address[3] = 127, 1
    C.setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, ffi.new("int[1]", 1), 4)
    if C.connect(fd, address, ffi.sizeof(address)) ~= 0 then
        C.close(fd)
        return nil
    end
    open = open + 1
    return { fd = fd, answer = "" }
end

local function disconnect(connection)
    C.close(connection.fd)
    open = open - 1
end

-- Without a latency it had no answer of 200.
local function finish(connection, latency)
    unanswered = unanswered + (latency and 0 or 1)
    latencies[#latencies + 1] = latency or PATIENCE
    connection.answer = ""
end

local function ask(request, planned)
    local connection = table.remove(free) or connect()
    if not connection then
        queue[#queue + 1] = { request = request, planned = planned }
    elseif C.send(connection.fd, request, #request, MSG_NOSIGNAL) ~= #request then
        finish(connection)
        disconnect(connection)
    else
        connection.planned = planned
        busy[#busy + 1] = connection
    end
end

local function is_whole(answer)
    local _, head = answer:find("\r\n\r\n", 1, true)
    local length = head and answer:match("\r\n[Cc]ontent%-[Ll]ength: *(%d+)")
    return length and #answer >= head + tonumber(length)
end

-- Whether the connection has no answer to wait for any more.
local function receive(connection)
    local length = C.recv(connection.fd, buffer, ffi.sizeof(buffer), 0)
    if length <= 0 then
        finish(connection)
        disconnect(connection)
        return true
    end
    local answer = connection.answer .. ffi.string(buffer, length)
    connection.answer = answer
    if not is_whole(answer) then
        return false
    end
    local is_served = answer:find("^HTTP/1.1 200 ")
    finish(connection, is_served and clock() - connection.planned or nil)
    if answer:find("\r\n[Cc]onnection: close") then
        disconnect(connection)
    else
        free[#free + 1] = connection
    end
    return true
end

-- Until there is an answer, or the time has come.
local function wait(timeout)
    local count = #busy
    for i = 1, count do
        polled[i - 1].fd, polled[i - 1].events = busy[i].fd, POLLIN
    end
    timeout = math.max(0, timeout)
    time.seconds = math.floor(timeout)
    time.nanoseconds = (timeout - math.floor(timeout)) * 1e9
    if C.ppoll(polled, count, time, nil) > 0 then
        local waiting = {}
        for i = 1, count do
            if polled[i - 1].revents == 0 or not receive(busy[i]) then
                waiting[#waiting + 1] = busy[i]
            end
        end
        busy = waiting
    end
    while first <= #queue and #free > 0 do
        local waited = queue[first]
        first = first + 1
        ask(waited.request, waited.planned)
    end
end

local function run(requests)
    local sent, began = 0, clock()
    local stop, planned = began + seconds, began
    while true do
        local now = clock()
        while planned <= now and planned < stop do
            ask(requests[sent % #requests + 1], planned)
            sent = sent + 1
            planned = planned - math.log(1 - math.random()) / rate
        end
        if now >= stop and (#busy == 0 or now >= stop + PATIENCE) then
            return sent
        end
        wait((now < stop and math.min(planned, stop) or stop + PATIENCE) - now)
    end
end

-- Else timers may be 50 µs late.
C.prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0)
math.randomseed(clock() * 1e6 % 2 ^ 31)
local requests = read_requests(arg[4])
for i = 1, CONNECTIONS do
    free[i] = assert(connect(), "the proxy refuses connections")
end
print("BEGIN")
io.stdout:flush()
local sent = run(requests)
while #latencies < sent do
    finish({})
end
table.sort(latencies)
local function percentile(share)
    return 1e6 * latencies[math.max(1, math.ceil(share * sent))]
end
print(("TAIL %d %d"):format(unanswered, percentile(0.999)))
print(("RESULT %d 0 %d %d %d"):format(sent, 1e6 * seconds, percentile(0.5), percentile(0.99)))

--- The trace context of a request (W3C Trace Context, Level 1): a valid one of the client goes on, or a new one begins.
-- May yield: no. Phases: init (start), access.
local ffi = require("ffi")
local reader = require("alb.nginx_variable").reader

local ffi_copy = ffi.copy
local ngx = ngx
local re_find = ngx.re.find
local str_format = string.format
local str_sub = string.sub
local var = ngx.var

local read_parent = reader("http_traceparent")

local _M = {
    --- Whether requests have a trace context.
    on = false,
    --- Whether sampled requests are reported (templates/partials/trace.conf.hbs), so each has a span of its own.
    spans = false,
    --- Its headers, each with its variable.
    HEADERS = {
        { "traceparent", "albc_traceparent" },
        { "tracestate", "albc_tracestate" },
    },
}

-- Percentage of traces that are sampled, and what is used of a client's trace (traceClients in docs/options.md).
local rate, clients = 0, "ignore"

--- Called in the master before other modules are loaded.
---@param settings string? rate, use of clients' traces, and perhaps `spans`; nil: requests have no trace context
function _M.start(settings)
    if settings then
        local percent, use, spans = settings:match("^(%S+) (%a+) ?(%a*)$")
        _M.on, _M.spans = true, spans == "spans"
        rate, clients = tonumber(percent), use
    end
end

-- Random words, drawn many at once: a system call for each id would cost more than the id.
local WORDS = 1024
local words, used = ffi.new("uint32_t[?]", WORDS), WORDS

local function refill()
    local source = assert(io.open("/dev/urandom", "rb"))
    ffi_copy(words, source:read(WORDS * 4), WORDS * 4)
    source:close()
    used = 0
end

local function word()
    if used >= WORDS then
        refill()
    end
    used = used + 1
    return words[used - 1]
end

-- Never 0, so no id that begins with it is all zeros, which would be invalid.
local function nonzero()
    local value = word()
    return value == 0 and 1 or value
end

-- Not by the trace id: clients choose that.
local function draw(percent)
    return word() * 100 < percent * 2 ^ 32
end

-- A valid traceparent (W3C Trace Context, 3.2.2): no id is all zeros, and only versions after 00 have more parts.
local VALID =
    [[^(?!ff)(?!00.{53}.)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-|\z)]]

-- Last digits of flags that say that the trace is sampled.
local SAMPLED = {}
for digit in ("13579bdf"):gmatch(".") do
    SAMPLED[digit] = true
end

local function new_span()
    return str_format("%08x%08x", nonzero(), word())
end

local function mark(is_sampled)
    if _M.spans then
        var.albc_sampled = is_sampled and "1" or ""
    end
    return is_sampled and "01" or "00"
end

local function put(trace, parent, is_sampled)
    -- A gateway that reports no span must not be the parent of one.
    local span = _M.spans and new_span() or parent or new_span()
    if _M.spans and parent then
        var.albc_span_parent = parent
    end
    var.albc_trace_id = trace
    var.albc_traceparent = "00-" .. trace .. "-" .. span .. "-" .. mark(is_sampled)
end

local function begin()
    -- The client's tracestate belongs to another trace (W3C Trace Context, 3.3).
    var.albc_trace_new = "1"
    local trace = str_format("%08x%08x%08x%08x", nonzero(), word(), word(), word())
    return put(trace, nil, draw(rate))
end

--- Gives the request its context.
function _M.run()
    local _, length = read_parent()
    if not length or length == 0 or clients == "ignore" then
        return begin()
    end
    local text = var.http_traceparent
    if not re_find(text, VALID, "jos") then
        return begin()
    end
    local is_sampled
    if clients == "trust" then
        is_sampled = SAMPLED[str_sub(text, 55, 55)]
    else
        is_sampled = draw(rate)
    end
    return put(str_sub(text, 4, 35), str_sub(text, 37, 52), is_sampled)
end

--- Samples the request as its route wants, unless a trusted client has decided.
---@param percent number
function _M.sample(percent)
    if _M.on and (clients ~= "trust" or var.albc_trace_new == "1") then
        local until_flags = str_sub(var.albc_traceparent, 1, -3)
        var.albc_traceparent = until_flags .. mark(draw(percent))
    end
end

--- Notes a request to an auth service, for its span.
---@param start number seconds as ngx.now
---@param seconds number
---@param authority string
---@param status integer? nil: no answer
function _M.note_auth(start, seconds, authority, status)
    if var.albc_sampled == "1" then
        var.albc_span_auth = str_format("%.3f %.3f %d %s", start, seconds, status or 0, authority)
    end
end

return _M

--- The trace context of a request (W3C Trace Context, Level 1): a valid one of the client goes on, or a new one begins.
-- May yield: no. Phases: init (start), access.
local bit = require("bit")
local digits = require("alb.bytes").digits
local ffi = require("ffi")
local nginx_variable = require("alb.nginx_variable")

local band, rshift = bit.band, bit.rshift
local ffi_copy = ffi.copy
local ngx = ngx
local re_find = ngx.re.find
local str_format = string.format
local str_sub = string.sub
local var = ngx.var

local read_parent = nginx_variable.reader("http_traceparent")
local set_context = nginx_variable.writer("albc_traceparent")

local ZERO, ONE = 48, 49

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

-- The latest traceparent: version, trace, span, flags.
local LENGTH, TRACE, SPAN, SAMPLED_FLAG = 55, 3, 36, 54
local context =
    ffi.new("unsigned char[?]", LENGTH + 1, "00-" .. ("0"):rep(32) .. "-" .. ("0"):rep(16) .. "-00")
-- Pairs of digits may begin at odd addresses, which a pointer allows and an array does not.
local trace_pairs = ffi.cast("uint16_t *", context + TRACE)
local span_pairs = ffi.cast("uint16_t *", context + SPAN)

local function put_word(pairs_of_id, at, value)
    pairs_of_id[at] = digits[rshift(value, 24)]
    pairs_of_id[at + 1] = digits[band(rshift(value, 16), 255)]
    pairs_of_id[at + 2] = digits[band(rshift(value, 8), 255)]
    pairs_of_id[at + 3] = digits[band(value, 255)]
end

local function put_span()
    put_word(span_pairs, 0, nonzero())
    put_word(span_pairs, 4, word())
end

local function mark(is_sampled)
    context[SAMPLED_FLAG] = is_sampled and ONE or ZERO
    set_context(context, LENGTH)
    if is_sampled and _M.spans then
        var.albc_sampled = "1"
    end
end

local function begin()
    put_word(trace_pairs, 0, nonzero())
    put_word(trace_pairs, 4, word())
    put_word(trace_pairs, 8, word())
    put_word(trace_pairs, 12, word())
    put_span()
    return mark(draw(rate))
end

--- Gives the request its context.
function _M.run()
    local parent, length = read_parent()
    if not parent or length == 0 or clients == "ignore" then
        return begin()
    end
    local text = var.http_traceparent
    if not re_find(text, VALID, "jos") then
        return begin()
    end
    -- A tracestate belongs to the trace of its traceparent (W3C Trace Context, 3.3).
    var.albc_trace_kept = "1"
    ffi_copy(context + TRACE, parent + TRACE, SPAN + 16 - TRACE)
    -- A gateway that reports no span must not be the parent of one.
    if _M.spans then
        var.albc_span_parent = str_sub(text, SPAN + 1, SPAN + 16)
        put_span()
    end
    if clients == "trust" then
        return mark(SAMPLED[str_sub(text, LENGTH, LENGTH)] == true)
    end
    return mark(draw(rate))
end

--- Samples the request as its route wants, unless a trusted client has decided.
---@param percent number
function _M.sample(percent)
    if _M.on and (clients ~= "trust" or var.albc_trace_kept == "") then
        local text = var.albc_traceparent
        ffi_copy(context, text, LENGTH)
        var.albc_sampled = ""
        return mark(draw(percent))
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

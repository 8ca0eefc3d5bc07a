--- Users' regular expressions, evaluated so that no pattern and no client can block a worker.
--
-- A match takes at most 5 ms (fuel.lua), and no match starts after the request has used up its time. The length of
-- subjects is limited. An expression is compiled at its first use and kept as long as something references it: ngx.re's
-- cache has one size for all, so one tenant could evict the expressions of others.
-- May yield: no. Phases: new in any; the others in any with a request.
local regex = require("resty.core.regex")
local fuel = require("alb.route.fuel")

local bounded = fuel.bounded
local clock = os.clock
local collect_captures = regex.collect_captures
local compile = regex.re_match_compile
local exec_regex = require("ffi").C.ngx_http_lua_ffi_exec_regex
local ngx = ngx
local setmetatable = setmetatable
local str_lower = string.lower
local str_sub = string.sub

local _M = {
    --- Bytes of the longest path or value that expressions are tried on.
    LONGEST_SUBJECT = 8192,
    --- The error for a longer one.
    TOO_LONG = "subject too long",
}

-- Seconds of processor time for the expressions of a request. Ordinary expressions take microseconds.
local BUDGET = 0.008
-- Bytes; no expression takes long on a subject of this length.
local SHORT_SUBJECT = 512
local NO_MATCH = -1
local TIME_IS_UP = "time is up"

-- State of the request being routed; routing never yields, so one per worker is enough.
local tried, began, too_long, prepared, unfinished = 0, nil, false, false, false
-- Expressions in use, by pattern and flags: a shard that is decoded again reuses them.
local shared = setmetatable({}, { __mode = "v" })

--- Called once for each request before the first `matches`, and again after an interruption.
function _M.start()
    tried, began, too_long, prepared, unfinished = 0, nil, false, false, false
end

--- Returns whether a subject of this request was too long. If not, a failure is due to the pattern.
function _M.is_too_long()
    return too_long
end

--- Returns whether time ran out while patterns were compiled: it may suffice if the request starts again.
function _M.is_unfinished()
    return unfinished
end

--- Returns an expression; it is compiled when it is first tried.
---@param pattern string PCRE
---@param ignore_case boolean
---@param captures boolean? true for `match`
function _M.new(pattern, ignore_case, captures)
    local key = (captures and "c" or "") .. (ignore_case and "i" or "") .. " " .. pattern
    local expression = shared[key]
    if not expression then
        -- Later gets `text`, `literal`, `compiled`, `mode` and `err`.
        expression = { pattern = pattern, ignore_case = ignore_case, captures = captures }
        shared[key] = expression
    end
    return expression
end

local function has_time(subject)
    -- Reading the clock takes longer than most expressions, so it is not read for a single one on a short subject.
    tried = tried + 1
    if not began then
        began = (tried > 1 or #subject > SHORT_SUBJECT) and clock() or nil
    elseif clock() - began > BUDGET then
        unfinished = prepared
        return false
    end
    return true
end

local function read(expression)
    local text, literal = bounded(expression.pattern, not expression.captures)
    expression.literal = expression.ignore_case and str_lower(literal) or literal
    expression.text = text
    prepared = true
end

-- Compiles an expression; returns the error, if any.
local function prepare(expression)
    local made, mode, flags = compile(expression.text, expression.ignore_case and "ji" or "j")
    prepared = true
    if not made then
        ngx.log(ngx.ERR, "albc: regular expression: ", mode)
        expression.err = mode
        return mode
    end
    expression.mode, expression.compiled = flags, made
    return nil
end

-- Returns whether the subject begins with the pattern's literal prefix. Of thousands of patterns on a host only a few
-- pass this check.
local function may_match(expression, subject)
    local start = str_sub(subject, 1, #expression.literal)
    return (expression.ignore_case and str_lower(start) or start) == expression.literal
end

-- Returns PCRE's code, and an error if it could not decide.
local function execute(expression, subject)
    local err = expression.err or not expression.compiled and prepare(expression)
    if err then
        return NO_MATCH, err
    end
    local code = exec_regex(expression.compiled, expression.mode, subject, #subject, 0)
    return code, code < NO_MATCH and "PCRE says " .. code or nil
end

-- The same, within the limits of time and length.
local function run(expression, subject)
    if not expression.text then
        if not has_time(subject) then
            return NO_MATCH, TIME_IS_UP
        end
        read(expression)
    end
    if not may_match(expression, subject) then
        return NO_MATCH
    elseif #subject > _M.LONGEST_SUBJECT then
        too_long = true
        return NO_MATCH, _M.TOO_LONG
    elseif not has_time(subject) then
        return NO_MATCH, TIME_IS_UP
    end
    return execute(expression, subject)
end

--- Returns whether the expression matches somewhere in the subject.
---@return boolean matches
---@return string? err if set, it could not be decided, and `matches` is false
function _M.matches(expression, subject)
    local code, err = run(expression, subject)
    return code >= 0, err
end

--- Finds the first match of an expression that was created with `captures`, within the time of the request.
---@return table? captures its groups; 0: the whole match
---@return integer|string|nil after the position after it, or the error if it could not be decided
function _M.capture(expression, subject)
    local code, err = run(expression, subject)
    if code < 0 then
        return nil, err
    end
    local captures = collect_captures(expression.compiled, code, subject, expression.mode)
    return captures, expression.compiled.captures[1] + 1
end

--- The same for an expression that is the only one, with all the time.
function _M.match(expression, subject)
    _M.start()
    return _M.capture(expression, subject)
end

return _M

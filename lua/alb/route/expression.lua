--- Users' regular expressions, tried so that no pattern and no client can hold up a worker.
--
-- One match takes 5 ms at most (fuel.lua), and before each the time is looked at that the request has taken so far.
-- Subjects have a longest length. An expression is compiled when it is first needed, and kept by those who need it:
-- ngx.re's cache has one number of places for all, so one tenant could take those of the others.
-- May yield: no. Phases: new any; the others in those of a request.
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
    --- Bytes of a path or value beyond which no expression is tried.
    LONGEST_SUBJECT = 8192,
    --- What is said of a longer one.
    TOO_LONG = "subject too long",
}

-- Seconds of processor time for a request; the next expression is not begun after it. Ordinary ones take microseconds.
local BUDGET = 0.008
-- Bytes; on these no expression takes long.
local SHORT_SUBJECT = 512
local NO_MATCH = -1
local TIME_IS_UP = "time is up"

-- Of the request being routed; routing never yields, so one of each is enough.
local tried, began, too_long, prepared, unfinished = 0, nil, false, false, false
-- Those in use, by what they are made of: what is read again need not be compiled again.
local shared = setmetatable({}, { __mode = "v" })

--- Called once a request, before the first `matches`, and when it was interrupted.
function _M.start()
    tried, began, too_long, prepared, unfinished = 0, nil, false, false, false
end

--- Has a subject of this request been too long? Else what gave up did so because of the pattern.
function _M.is_too_long()
    return too_long
end

--- Was time spent on compiling, so that it may be enough when the request starts again?
function _M.is_unfinished()
    return unfinished
end

--- An expression; it is read and compiled when it is first tried.
---@param pattern string PCRE
---@param ignore_case boolean
---@param captures boolean? are its groups asked for?
function _M.new(pattern, ignore_case, captures)
    local key = (captures and "c" or "") .. (ignore_case and "i" or "") .. " " .. pattern
    local expression = shared[key]
    if not expression then
        -- Then `text`, `literal`, `compiled`, `mode` and `err` are added.
        expression = { pattern = pattern, ignore_case = ignore_case, captures = captures }
        shared[key] = expression
    end
    return expression
end

-- May more be done for the request?
local function has_time(subject)
    -- The clock costs more than most expressions: for a single one on a short subject it is not asked.
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

-- Tells why it can't be tried.
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

-- Does the subject begin as all do that match? Of thousands of patterns on a host only a few are left then.
local function may_match(expression, subject)
    local start = str_sub(subject, 1, #expression.literal)
    return (expression.ignore_case and str_lower(start) or start) == expression.literal
end

-- What PCRE gives back.
local function execute(expression, subject)
    local err = expression.err or not expression.compiled and prepare(expression)
    if err then
        return NO_MATCH, err
    end
    local code = exec_regex(expression.compiled, expression.mode, subject, #subject, 0)
    return code, code < NO_MATCH and "PCRE says " .. code or nil
end

-- What PCRE gives back; `err` when it was not asked, or gave up.
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

--- Does the expression match somewhere in the subject?
---@return boolean matches false also when that can not be told
---@return string? err why it can not be told
function _M.matches(expression, subject)
    local code, err = run(expression, subject)
    return code >= 0, err
end

--- The first match: what its groups are (0: all of it), and the place after it. Of an expression made for it.
---@return table? captures
---@return integer|string|nil after or why it can not be told
function _M.match(expression, subject)
    _M.start()
    local code, err = run(expression, subject)
    if code < 0 then
        return nil, err
    end
    local captures = collect_captures(expression.compiled, code, subject, expression.mode)
    return captures, expression.compiled.captures[1] + 1
end

return _M

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
local execute = require("ffi").C.ngx_http_lua_ffi_exec_regex
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

-- Of the request being routed; routing never yields, so one of each is enough.
local tried, began, too_long, compiled, unfinished = 0, nil, false, false, false
-- Those in use, by what they are made of: what is read again need not be compiled again.
local shared = setmetatable({}, { __mode = "v" })

--- Called once a request, before the first `matches`, and when it was interrupted.
function _M.start()
    tried, began, too_long, compiled, unfinished = 0, nil, false, false, false
end

--- Has a subject of this request been too long? Else what gave up did so because of the pattern.
function _M.is_too_long()
    return too_long
end

--- Was the time spent on compiling, so that it may be enough when the request starts again?
function _M.is_unfinished()
    return unfinished
end

--- An expression ready to be tried.
---@param pattern string PCRE
---@param ignore_case boolean
---@param captures boolean? are its groups asked for?
function _M.new(pattern, ignore_case, captures)
    local flags = (ignore_case and "ji" or "j")
    local text, literal = bounded(pattern, not captures)
    local key = flags .. text
    local expression = shared[key]
    if not expression then
        -- `compiled`, `mode` and `err` are added when it is first tried.
        expression = {
            text = text,
            flags = flags,
            literal = ignore_case and str_lower(literal) or literal,
            ignore_case = ignore_case,
        }
        shared[key] = expression
    end
    return expression
end

-- Tells why it can't be tried.
local function prepare(expression)
    local made, mode, flags = compile(expression.text, expression.flags)
    compiled = true
    if not made then
        ngx.log(ngx.ERR, "albc: regular expression: ", mode)
        expression.err = mode
        return mode
    end
    expression.mode, expression.compiled = flags, made
    return nil
end

-- May another be tried?
local function has_time(subject)
    -- The clock costs more than most expressions: for a single one on a short subject it is not asked.
    tried = tried + 1
    if not began then
        began = (tried > 1 or #subject > SHORT_SUBJECT) and clock() or nil
        return true
    end
    return clock() - began <= BUDGET
end

-- Does the subject begin as all do that match? Of thousands of patterns on a host only a few are left then.
local function may_match(expression, subject)
    local start = str_sub(subject, 1, #expression.literal)
    return (expression.ignore_case and str_lower(start) or start) == expression.literal
end

-- What PCRE gives back; `err` when it was not asked, or gave up.
local function run(expression, subject)
    if not may_match(expression, subject) then
        return NO_MATCH
    elseif expression.err then
        return NO_MATCH, expression.err
    elseif #subject > _M.LONGEST_SUBJECT then
        too_long = true
        return NO_MATCH, _M.TOO_LONG
    elseif not has_time(subject) then
        unfinished = compiled
        return NO_MATCH, "time is up"
    end
    local err = not expression.compiled and prepare(expression)
    if err then
        return NO_MATCH, err
    end
    local code = execute(expression.compiled, expression.mode, subject, #subject, 0)
    return code, code < NO_MATCH and "PCRE says " .. code or nil
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

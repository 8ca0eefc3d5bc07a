--- Users' regular expressions, tried so that no pattern and no client can hold up a worker.
--
-- lua_regex_match_limit counts the steps of PCRE from each place where a match may begin, and one step may scan the
-- whole subject. So patterns are tried from the first place only, with the search for others made part of the pattern,
-- where it counts; subjects have a longest length; and a request has a time for all its expressions together.
-- May yield: no. Phases: new any; start, matches, is_too_long in those of a request.
local ngx = ngx
local re_find = ngx.re.find
local clock = os.clock
local str_find = string.find
local str_gsub = string.gsub

local _M = {
    --- Bytes of a path or value beyond which no expression is tried.
    LONGEST_SUBJECT = 8192,
    --- What is said of a longer one.
    TOO_LONG = "subject too long",
}

-- Seconds of processor time for all expressions of one request. Ordinary ones take microseconds; this is the time after
-- which the next is not begun.
local BUDGET = 0.02
-- Bytes; on these no expression takes long.
local SHORT_SUBJECT = 512

-- Of the request being routed; routing never yields, so one of each is enough.
local tried, began, too_long = 0, nil, false

--- Called once a request, before the first `matches`.
function _M.start()
    tried, began, too_long = 0, nil, false
end

--- Has a subject of this request been too long? Else what gave up did so because of the pattern.
function _M.is_too_long()
    return too_long
end

-- Can it match at the start only? A wrong "no" costs a little time, a wrong "yes" would leave the steps uncounted.
local function is_anchored(pattern)
    if not str_find(pattern, "^%^[^?*+{]") or str_find(pattern, "[:", 1, true) then
        return false
    end
    -- Without escapes, classes and groups: are there alternatives, which need not begin so?
    local outside = str_gsub(pattern, "\\.", "x")
    outside = str_gsub(outside, "%[%^?%]?[^%]]*%]", "")
    outside = str_gsub(outside, "%b()", "")
    return not str_find(outside, "|", 1, true)
end

--- The same pattern, for which PCRE counts all its steps together. The match still begins where it did.
---@param pattern string one that PCRE takes as it is: what is unbalanced may be balanced by what is put around it
---@return string
function _M.counted(pattern)
    return is_anchored(pattern) and pattern or "\\A(?s:.*?)\\K(?:" .. pattern .. ")"
end

--- An expression ready to be tried; `err` says what PCRE finds wrong with it.
---@param pattern string PCRE
---@param ignore_case boolean
---@return table { pattern: string, flags: string, err: string? }
function _M.new(pattern, ignore_case)
    local _, _, err = re_find("", pattern, ignore_case and "i" or "")
    local expression = { pattern = _M.counted(pattern), flags = ignore_case and "joi" or "jo" }
    if not err then
        _, _, err = re_find("", expression.pattern, expression.flags)
    end
    expression.err = err
    return expression
end

--- Does the expression match somewhere in the subject?
---@return boolean matches false also when that can not be told
---@return string? err why it can not be told
function _M.matches(expression, subject)
    if expression.err then
        return false, expression.err
    end
    if #subject > _M.LONGEST_SUBJECT then
        too_long = true
        return false, _M.TOO_LONG
    end
    -- The clock costs more than most expressions: for a single one on a short subject it is not asked.
    tried = tried + 1
    if not began then
        began = (tried > 1 or #subject > SHORT_SUBJECT) and clock() or nil
    elseif clock() - began > BUDGET then
        return false, "time is up"
    end
    local from, _, err = re_find(subject, expression.pattern, expression.flags)
    return from ~= nil, err
end

return _M

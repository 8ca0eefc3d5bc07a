--- Request paths: which characters may stand in them, and how a rewrite changes them.
--
-- A path is rewritten as it was received where that is possible, so escapes that the client chose
-- reach the backend. Where it is not, the normalised path (decoded, no dot segments) is the base,
-- and what is illegal in a path is percent-encoded again. A result starts with one `/` and never
-- holds blanks or control characters. May yield: no. Pure but for ngx.re.
local expression = require("alb.route.expression")

local re_find = ngx.re.find
local concat = table.concat
local str_byte = string.byte
local str_char = string.char
local str_find = string.find
local str_format = string.format
local str_gsub = string.gsub
local str_sub = string.sub
local tonumber = tonumber
local type = type

local _M = {}

local SLASH = 47

-- Segments that nginx resolves before it matches: `.` and `..`, escaped or not.
local DOT_SEGMENT = [[(?:/|%2f)(?:\.|%2e){1,2}(?:/|%2f|$)]]

-- RFC 3986, 3.3: everything but pchar and "/".
local NOT_PATH = "[^%w%-%._~!%$&'%(%)%*%+,;=:@/]"
local NOT_PATH_OR_PERCENT = "[^%w%-%._~!%$&'%(%)%*%+,;=:@/%%]"
-- RFC 3986, 3.4: everything but pchar, "/" and "?".
local NOT_QUERY_OR_PERCENT = "[^%w%-%._~!%$&'%(%)%*%+,;=:@/%?%%]"
-- What would end or change a parameter is escaped too.
local NOT_QUERY_VALUE = "[^%w%-%._~!%$'%(%)%*,:@/]"
-- RFC 3986, 2: characters that stand in no URI at all.
local NOT_URI = '[%c \127-\255"<>\\%^`{|}]'

local escapes = {}
for code = 0, 255 do
    escapes[str_char(code)] = str_format("%%%02X", code)
end

--- Percent-encodes decoded text for a path; a `%` is a character like any other.
---@param text string
---@return string
function _M.encode(text)
    return (str_gsub(text, NOT_PATH, escapes))
end

--- Percent-encodes what can't stand in a URI, such as UTF-8 and line breaks; the rest stays.
---@param text string
---@return string
function _M.encode_uri(text)
    return (str_gsub(text, NOT_URI, escapes))
end

local function byte_of(digits)
    return str_char(tonumber(digits, 16))
end

--- The text behind percent-encoding; a `+` is a plus.
---@param text string
---@return string
function _M.decode(text)
    return (str_gsub(text, "%%(%x%x)", byte_of))
end

-- Text that somebody wrote as a path or query: escapes stay, a `%` that starts none is escaped.
local function encode_written(text, illegal)
    local legal = str_gsub(text, illegal, escapes)
    return (
        str_gsub(legal, "%%(%x?%x?)", function(digits)
            return #digits < 2 and "%25" .. digits or nil
        end)
    )
end

local function absolute(path)
    if str_byte(path, 1) ~= SLASH then
        return "/" .. path
    end
    if str_byte(path, 2) == SLASH then
        -- A target that starts with "//" would be read as a host by some.
        return (str_gsub(path, "^/+", "/"))
    end
    return path
end

--- The path of a request target as received: without query and fragment.
---@param target string $request_uri
---@return string
function _M.of_target(target)
    local stop = str_find(target, "[?#]")
    return stop and str_sub(target, 1, stop - 1) or target
end

-- Splits a replacement into literals and numbers of captures: `$0` (the match) to `$9`.
local function parse_replacement(text, illegal)
    local segments, n, pos = {}, 0, 1
    while pos <= #text do
        local dollar = str_find(text, "%$%d", pos)
        local literal = str_sub(text, pos, (dollar or 0) - 1)
        if literal ~= "" then
            n = n + 1
            segments[n] = encode_written(literal, illegal)
        end
        if not dollar then
            break
        end
        n = n + 1
        segments[n] = tonumber(str_sub(text, dollar + 1, dollar + 1))
        pos = dollar + 2
    end
    return segments
end

local function expand(segments, captures, illegal)
    local out = {}
    for i = 1, #segments do
        local segment = segments[i]
        if type(segment) == "number" then
            -- A group that took no part in the match is false.
            segment = str_gsub(captures[segment] or "", illegal, escapes)
        end
        out[i] = segment
    end
    return concat(out)
end

local function prepare_regex(rewrite)
    local replacement, whole = rewrite[4], rewrite[5]
    rewrite.expression = expression.new(rewrite[2], rewrite[3] == "i", true)
    local mark = whole and str_find(replacement, "?", 1, true)
    if mark then
        -- As nginx's own rewrite: the client's query follows, unless the replacement ends with `?`.
        local query = str_sub(replacement, mark + 1)
        rewrite.drops_query = query == "" or str_sub(query, -1) == "?"
        rewrite.query = parse_replacement(str_gsub(query, "%?$", ""), NOT_QUERY_OR_PERCENT)
        replacement = str_sub(replacement, 1, mark - 1)
    end
    rewrite.segments = parse_replacement(replacement, NOT_PATH_OR_PERCENT)
end

--- Makes a decoded PathRewrite ready.
---@param rewrite table `{"full", path}`, `{"prefix", prefix, replacement}` or
--- `{"regex", pattern, flags, replacement, whole}`
function _M.prepare(rewrite)
    local kind = rewrite[1]
    if kind == "full" then
        rewrite.path = absolute(encode_written(rewrite[2], NOT_PATH_OR_PERCENT))
    elseif kind == "prefix" then
        rewrite.prefix = str_gsub(rewrite[2], "/+$", "")
        local replacement = str_gsub(rewrite[3], "/+$", "")
        rewrite.replacement = replacement == "" and ""
            or absolute(encode_written(replacement, NOT_PATH_OR_PERCENT))
    else
        prepare_regex(rewrite)
    end
end

local function has_prefix(path, prefix)
    if str_sub(path, 1, #prefix) ~= prefix then
        return false
    end
    local following = str_byte(path, #prefix + 1)
    return following == nil or following == SLASH
end

local function rewrite_prefix(rewrite, uri, raw)
    local prefix = rewrite.prefix
    if not has_prefix(uri, prefix) then
        return nil
    end
    local rest
    if has_prefix(raw, prefix) and (raw == uri or not re_find(raw, DOT_SEGMENT, "ijo")) then
        rest = str_sub(raw, #prefix + 1)
    else
        rest = _M.encode(str_sub(uri, #prefix + 1))
    end
    return absolute(rewrite.replacement .. rest)
end

local function join_query(rewrite, captures, args)
    if not rewrite.query then
        return args
    end
    local query = expand(rewrite.query, captures, NOT_QUERY_VALUE)
    if rewrite.drops_query or args == "" then
        return query
    end
    return query .. "&" .. args
end

local function rewrite_regex(rewrite, uri, args)
    local captures, after = expression.match(rewrite.expression, uri)
    if not captures then
        return nil, nil, after
    end
    local path = expand(rewrite.segments, captures, NOT_PATH)
    if not rewrite[5] then
        local before = str_sub(uri, 1, after - #captures[0] - 1)
        path = _M.encode(before) .. path .. _M.encode(str_sub(uri, after))
    end
    return absolute(path), join_query(rewrite, captures, args)
end

--- Applies a prepared rewrite.
---@param rewrite table
---@param uri string normalised path
---@param target string request target as received
---@param args string query as received, without `?`; "" for none
---@return string? path nil: the rewrite does not apply to this path
---@return string? query
---@return string? err the expression can't be evaluated
function _M.rewrite(rewrite, uri, target, args)
    local kind = rewrite[1]
    if kind == "full" then
        return rewrite.path, args
    elseif kind == "prefix" then
        return rewrite_prefix(rewrite, uri, _M.of_target(target)), args
    end
    return rewrite_regex(rewrite, uri, args)
end

--- Path and query as one request target.
---@param path string
---@param query string
---@return string
function _M.join(path, query)
    return query == "" and path or path .. "?" .. query
end

return _M

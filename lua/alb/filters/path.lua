--- Request paths: which characters they may contain, and how a rewrite changes them.
--
-- If possible, the path is rewritten as received, so the client's escapes reach the backend. Otherwise the normalised
-- path (decoded, without dot segments) is rewritten, and characters that are illegal in a path are percent-encoded
-- again. A result starts with exactly one `/` and contains no blanks or control characters.
-- May yield: no. Pure except for ngx.re.
local expression = require("alb.route.expression")
local growth = require("alb.growth")
local interpolation = require("alb.interpolation")

local encode = interpolation.encode
local expand = interpolation.expand
local re_find = ngx.re.find
local str_byte = string.byte
local str_char = string.char
local str_find = string.find
local str_gsub = string.gsub
local str_sub = string.sub

local _M = {}

local SLASH = 47
local MOST = growth.MOST_TARGET

-- Segments that nginx resolves before it matches: `.` and `..`, escaped or not.
local DOT_SEGMENT = [[(?:/|%2f)(?:\.|%2e){1,2}(?:/|%2f|$)]]

-- RFC 3986, 3.3: everything but pchar, "/" and "%".
local NOT_PATH_OR_PERCENT = "[^%w%-%._~!%$&'%(%)%*%+,;=:@/%%]"
-- RFC 3986, 3.4: everything but pchar, "/", "?" and "%".
local NOT_QUERY_OR_PERCENT = "[^%w%-%._~!%$&'%(%)%*%+,;=:@/%?%%]"
-- RFC 3986, 2: characters that are illegal anywhere in a URI.
local NOT_URI = '[%c \127-\255"<>\\%^`{|}]'

_M.encode = interpolation.encode_path

--- Percent-encodes characters that are illegal in a URI, such as UTF-8 and line breaks.
---@param text string
---@return string
function _M.encode_uri(text)
    return encode(text, NOT_URI)
end

-- By two hexadecimal digits of any case.
local bytes = {}
for code = 0, 255 do
    local high, low = string.format("%02x", code):match("(.)(.)")
    for _, digits in ipairs({
        high .. low,
        high:upper() .. low,
        high .. low:upper(),
        (high .. low):upper(),
    }) do
        bytes[digits] = str_char(code)
    end
end

--- Decodes percent-encoding; a `+` stays a plus.
---@param text string
---@return string
function _M.decode(text)
    return str_find(text, "%", 1, true) and str_gsub(text, "%%(%x%x)", bytes) or text
end

-- Escapes of characters that nginx sends as they are (ngx_escape_uri).
local LOST_ESCAPE = "%(?:2[1467-9A-F]|3[0-9ABD]|4[0-9A-F]|5[0-9ABDF]|6[1-9A-F]|7[0-9AE])"

--- Whether an encoded path is another one after nginx has decoded it and escaped it again.
---@param raw string
---@return boolean
function _M.is_changed_by_decoding(raw)
    return str_find(raw, "%", 1, true) ~= nil and re_find(raw, LOST_ESCAPE, "ijo") ~= nil
end

-- Encodes text written as a path or query: keeps escapes, and escapes a `%` that starts none.
local function encode_written(text, illegal)
    return (
        str_gsub(encode(text, illegal), "%%(%x?%x?)", function(digits)
            return #digits < 2 and "%25" .. digits or nil
        end)
    )
end

--- The path with exactly one slash at its beginning.
---@param path string
---@return string
local function absolute(path)
    if str_byte(path, 1) ~= SLASH then
        return "/" .. path
    end
    if str_byte(path, 2) == SLASH then
        -- Some servers read a target that starts with "//" as a host.
        return (str_gsub(path, "^/+", "/"))
    end
    return path
end

--- The path of a request target as received, without query and fragment.
---@param target string $request_uri
---@return string
function _M.of_target(target)
    local stop = str_find(target, "[?#]")
    return stop and str_sub(target, 1, stop - 1) or target
end

_M.absolute = absolute

-- Prepares segments whose literals are parts of a path or query. An unknown variable can't come from the compiler;
-- requests then get 500.
local function prepare_segments(rewrite, segments, illegal)
    for i = 1, #segments do
        local segment = segments[i]
        segments[i] = type(segment) == "string" and encode_written(segment, illegal) or segment
    end
    local prepared, err = interpolation.prepare(segments)
    rewrite.err = rewrite.err or err
    return prepared
end

-- Splits segments at the first `?` of a literal; the second list is nil without one.
local function split_at_query(segments)
    local before, after = {}, nil
    for i = 1, #segments do
        local segment = segments[i]
        local mark = not after and type(segment) == "string" and str_find(segment, "?", 1, true)
        if mark then
            before[i] = str_sub(segment, 1, mark - 1)
            after = { str_sub(segment, mark + 1) }
        elseif after then
            after[#after + 1] = segment
        else
            before[i] = segment
        end
    end
    return before, after
end

-- Adds `segments` and, if the text has a query, `query` and `drops_query`.
local function prepare_target(rewrite, path, query)
    if query then
        -- Like nginx's rewrite: the client's query is appended, unless the replacement ends with `?`.
        local last = query[#query]
        if type(last) == "string" then
            rewrite.drops_query = #query == 1 and last == "" or str_sub(last, -1) == "?"
            query[#query] = str_gsub(last, "%?$", "")
        end
        rewrite.query = prepare_segments(rewrite, query, NOT_QUERY_OR_PERCENT)
    end
    rewrite.segments = prepare_segments(rewrite, path, NOT_PATH_OR_PERCENT)
end

local function prepare_regex(rewrite)
    rewrite.expression = expression.new(rewrite[2], rewrite[3] == "i", true)
    if rewrite[5] then
        prepare_target(rewrite, split_at_query(rewrite[4]))
    else
        prepare_target(rewrite, rewrite[4])
    end
end

--- Prepares a path and query with variables and captures for `write`.
---@param segments table Interpolation
---@return table target
function _M.prepare_target(segments)
    local target = {}
    prepare_target(target, split_at_query(segments))
    return target
end

--- Prepares a decoded PathRewrite.
---@param rewrite table `{"full", path}`, `{"prefix", prefix, replacement}` or
--- `{"regex", pattern, flags, segments, whole}`
function _M.prepare(rewrite)
    local kind = rewrite[1]
    if kind == "full" then
        rewrite.path = absolute(encode_written(rewrite[2], NOT_PATH_OR_PERCENT))
    elseif kind == "prefix" then
        rewrite.prefix = str_gsub(rewrite[2], "/+$", "")
        rewrite.spelled = _M.encode(rewrite.prefix)
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
    local prefix, spelled = rewrite.prefix, rewrite.spelled
    if not has_prefix(uri, prefix) then
        return nil
    end
    local rest
    if has_prefix(raw, spelled) and (raw == uri or not re_find(raw, DOT_SEGMENT, "ijo")) then
        rest = str_sub(raw, #spelled + 1)
    else
        rest = _M.encode(str_sub(uri, #prefix + 1))
    end
    return absolute(rewrite.replacement .. rest)
end

local function join_query(rewrite, captures, args)
    if not rewrite.query then
        return args
    end
    local query, err = expand(rewrite.query, MOST, captures)
    if not query or rewrite.drops_query or args == "" then
        return query, err
    end
    return query .. "&" .. args
end

local function rewrite_regex(rewrite, uri, args)
    local captures, after = expression.match(rewrite.expression, uri)
    if not captures then
        return nil, nil, after
    end
    local path, err = expand(rewrite.segments, MOST, captures)
    if not path then
        return nil, nil, err
    end
    if not rewrite[5] then
        local before = str_sub(uri, 1, after - #captures[0] - 1)
        path = _M.encode(before) .. path .. _M.encode(str_sub(uri, after))
    end
    local query
    query, err = join_query(rewrite, captures, args)
    return query and absolute(path), query, err
end

local function apply(rewrite, uri, target, args)
    local kind = rewrite[1]
    if kind == "full" then
        return rewrite.path, args
    elseif kind == "prefix" then
        return rewrite_prefix(rewrite, uri, _M.of_target(target)), args
    elseif rewrite.err then
        return nil, nil, rewrite.err
    end
    return rewrite_regex(rewrite, uri, args)
end

--- Applies a prepared rewrite.
---@param rewrite table
---@param uri string normalised path
---@param target string request target as received
---@param args string query as received, without `?`; "" for none
---@return string? path nil if the rewrite does not apply to this path
---@return string? query
---@return string? err set if the expression can't be evaluated, or the result is too long
function _M.rewrite(rewrite, uri, target, args)
    local path, query, err = apply(rewrite, uri, target, args)
    if path and #path + #query > MOST then
        return nil, nil, growth.TOO_LONG
    end
    return path, query, err
end

--- Writes a prepared target.
---@param captures table by number
---@param args string the client's query
---@return string? path
---@return string? query
---@return string? err
function _M.write(target, captures, args)
    if target.err then
        return nil, nil, target.err
    end
    local path, query, err
    path, err = expand(target.segments, MOST, captures)
    if not path then
        return nil, nil, err
    end
    query, err = join_query(target, captures, args)
    if query and #path + #query > MOST then
        return nil, nil, growth.TOO_LONG
    end
    return query and absolute(path), query, err
end

--- Path and query as one request target.
---@param path string
---@param query string
---@return string
function _M.join(path, query)
    return query == "" and path or path .. "?" .. query
end

return _M

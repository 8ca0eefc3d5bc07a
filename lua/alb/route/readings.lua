--- Refuses requests whose path a backend may read differently from the gateway.
--
-- The gateway chooses a route by nginx's normalised path, but the backend gets the target as received. A backend that
-- keeps dot segments or `%2F`, drops path parameters (`;…`, as servlets do), takes `\` for `/`, decodes twice, reads
-- overlong UTF-8 as ASCII or drops blanks at the end of a segment (as Windows does, and Python at the end of a path)
-- serves another path. If another rule, or a backend of it, restricts that path, the request is refused, because it
-- would bypass the restriction.
-- May yield: no. Phases: access.
local bytes = require("alb.bytes")
local candidates = require("alb.route.candidate")
local errors = require("alb.errors")
local path = require("alb.filters.path")

local are_plain = bytes.are_plain
local concat = table.concat
local decode = path.decode
local equal = bytes.equal
local find_byte = bytes.find
local of_target = path.of_target
local gmatch = string.gmatch
local str_byte = string.byte
local str_char = string.char
local str_find = string.find
local str_gsub = string.gsub
local sort = table.sort

local _M = {}

local HASH, QUESTION_MARK, SEMICOLON, SLASH = 35, 63, 59, 47
local ROUTE = candidates.ROUTE

--- Returns whether the target has only one reading, the path. Every request runs this, so it compares bytes.
---@param target ffi.cdata* $request_uri
---@param target_length integer
---@param uri ffi.cdata* the normalised path
---@param length integer
function _M.is_one(target, target_length, uri, length)
    if target_length < length or not equal(target, uri, length) then
        return false
    end
    if not are_plain(uri, length) or find_byte(uri, 0, length, SEMICOLON) then
        return false
    end
    return target_length == length
        or target[length] == QUESTION_MARK
            and not find_byte(target, length + 1, target_length, HASH)
end

local is_dots = { ["."] = true, [".."] = true }

local function as_written(segment)
    return segment
end

-- Has it no segment that `resolve` removes?
local function is_resolved(text)
    return str_byte(text, 1) == SLASH
        and not str_find(text, "/.", 1, true)
        and not str_find(text, "//", 1, true)
end

-- Removes dot segments and empty segments; at the end they leave the slash before them. `shown` returns the segment to
-- test for a written one.
local function remove_dots(text, shown)
    local kept, n, open = {}, 0, false
    for segment, slash in gmatch(text, "([^/]+)(/?)") do
        local seen = (shown or as_written)(segment)
        open = slash ~= "" or is_dots[seen]
        if not is_dots[seen] then
            n = n + 1
            kept[n] = segment
        elseif seen == ".." and n > 0 then
            kept[n], n = nil, n - 1
        end
    end
    return "/" .. concat(kept, "/") .. (open and n > 0 and "/" or "")
end

local function resolve(text, shown)
    if is_resolved(shown and shown(text) or text) then
        return text
    end
    return remove_dots(text, shown)
end

local function decode_dots(segment)
    return (str_gsub(segment, "%%2[eE]", "."))
end

local function without_parameters(text)
    return str_find(text, ";", 1, true) and str_gsub(text, ";[^/]*", "") or text
end

local function with_slashes(text)
    return (str_gsub(str_gsub(text, "\\", "/"), "%%5[cC]", "/"))
end

local function ascii_of(high, low)
    return str_char(str_byte(high, -1) % 2 * 64 + str_byte(low) % 64)
end

-- Overlong UTF-8 (RFC 3629, 3) of two or three bytes, as lenient decoders read it.
local function as_ascii(text)
    if not str_find(text, "[\192\193\224]") then
        return text
    end
    text = str_gsub(text, "([\192\193])([\128-\191])", ascii_of)
    return (str_gsub(text, "(\224[\128\129])([\128-\191])", ascii_of))
end

-- White space of Unicode in UTF-8 as spaces.
local function with_spaces(text)
    if not str_find(text, "[\194\225-\227]") then
        return text
    end
    text = str_gsub(text, "\194[\133\160]", " ")
    text = str_gsub(text, "\226\128[\128-\138\168\169\175]", " ")
    text = str_gsub(text, "\226\129\159", " ")
    return (str_gsub(text, "[\225\227][\154\128]\128", " "))
end

-- A run of blanks from its first one: those of ASCII and Latin-1. Without the frontier, a long run costs its square.
local BLANKS = "%f[\9-\13\28-\32\133\160][\9-\13\28-\32\133\160]+"

local function without_blanks(text)
    text = with_spaces(text)
    return (str_gsub(str_gsub(text, BLANKS .. "([/\\;])", "%1"), BLANKS .. "$", ""))
end

local function merge(text)
    return (str_gsub("/" .. text, "//+", "/"))
end

-- Decoded; without parameters found before decoding; without parameters found after it. These are often the same.
local function add_decoded(paths, text)
    local n, decoded = #paths, decode(text)
    local before, after = decode(without_parameters(text)), without_parameters(decoded)
    paths[n + 1] = resolve(decoded)
    paths[n + 2] = before == decoded and paths[n + 1] or resolve(before)
    paths[n + 3] = after == before and paths[n + 2] or resolve(after)
end

--- The paths that backends may read in a target.
---@return string[]
function _M.of(target)
    local raw = of_target(target)
    local decoded = decode(raw)
    -- Dot segments kept; removed before decoding; removed also if their dots are encoded (WHATWG URL).
    local paths = {
        merge(decoded),
        merge(decode(resolve(raw))),
        merge(decode(resolve(raw, decode_dots))),
    }
    add_decoded(paths, raw)
    add_decoded(paths, with_slashes(raw))
    if str_find(decoded, "%%%x%x") then
        add_decoded(paths, decoded)
        add_decoded(paths, with_slashes(decoded))
    end
    local twice = decode(decoded)
    local plain = without_blanks(as_ascii(twice))
    if plain ~= twice then
        add_decoded(paths, plain)
        add_decoded(paths, with_slashes(plain))
    end
    return paths
end

-- The restrictions of a route, or of the filters of a backend, as text.
local function restrictions(holder)
    return concat({
        concat(holder.auth or {}, " "),
        concat(holder.allow or {}, " "),
        concat(holder.deny or {}, " "),
        holder.satisfy or "",
    }, "\n")
end

local OPEN = restrictions({})

-- The restrictions of backends as text; "" for none.
local function guard_of_backends(backends)
    local list, seen, guarded = {}, {}, false
    for i = 1, #backends do
        local backend = backends[i]
        local asked = backend.refuse and "refused" or restrictions(backend.filters or backend)
        guarded = guarded or asked ~= OPEN
        if not seen[asked] then
            seen[asked] = true
            list[#list + 1] = asked
        end
    end
    sort(list)
    return guarded and concat(list, "\n\n") or ""
end

-- The restrictions of a route and its backends as text, "" for none; computed once for each decoded route.
local function guard_of(route)
    if not route.guard then
        local own, backends = restrictions(route), guard_of_backends(route.backends or {})
        route.guard = own == OPEN and backends == "" and "" or own .. "\n\n" .. backends
    end
    return route.guard
end

-- Returns whether the rule `other` may refuse a client that the chosen rule accepts.
local function protects(other, chosen)
    local route, own = other[ROUTE], chosen[ROUTE]
    if other.broken or not own then
        return other ~= chosen
    end
    if not route or route == own then
        return false
    end
    local guard = guard_of(route)
    return route.refuse ~= nil or guard ~= "" and guard ~= guard_of(own)
end

--- Ends the request if its target is malformed, or can be read as a path that another rule protects.
---@param find fun(server_id: string, host: string, path: string): table? returns the candidate for a path; not a
--- closure, because LuaJIT does not compile functions that create one
---@param server_id string
---@param host string
---@param target string $request_uri
---@param uri string the normalised path
function _M.check(find, server_id, host, target, uri)
    if str_find(target, "#", 1, true) then
        -- Illegal in a request target (RFC 9112, 3.2); nginx ends the path there, but forwards everything.
        return errors.exit(400, errors.reasons.malformed)
    end
    local chosen = find(server_id, host, uri)
    local others, seen = chosen and _M.of(target) or {}, { [uri] = true }
    for i = 1, #others do
        local other = not seen[others[i]] and find(server_id, host, others[i])
        seen[others[i]] = true
        if other and protects(other, chosen) then
            return errors.exit(400, errors.reasons.ambiguous_path)
        end
    end
end

return _M

--- Other ways to read the path of a request than the one by which its route is chosen.
--
-- Routes are chosen by the path as nginx normalises it, and backends get the target as it came. One that leaves dot
-- segments or `%2F` alone, drops path parameters (`;…`, as servlets do) or takes `\` for `/` serves another path of it.
-- Where the checks of another rule hold for that path, the request is refused: else it would pass by them.
-- May yield: no. Phases: rewrite.
local candidates = require("alb.route.candidate")
local errors = require("alb.errors")
local path = require("alb.filters.path")

local concat = table.concat
local decode = path.decode
local of_target = path.of_target
local gmatch = string.gmatch
local str_byte = string.byte
local str_find = string.find
local str_gsub = string.gsub
local str_sub = string.sub

local _M = {}

local QUESTION_MARK = 63
local ROUTE = candidates.ROUTE

--- Can the target be read in one way only, as the path? It is on the way of every request: no patterns.
---@param target string $request_uri
---@param uri string the normalised path
function _M.is_one(target, uri)
    if str_find(uri, ";", 1, true) or str_find(uri, "\\", 1, true) then
        return false
    end
    return target == uri
        or str_byte(target, #uri + 1) == QUESTION_MARK
            and str_sub(target, 1, #uri) == uri
            and not str_find(target, "#", 1, true)
end

local is_dots = { ["."] = true, [".."] = true }

local function as_written(segment)
    return segment
end

-- Without dot segments and empty ones; `shown` gives the segment that is looked at for one that is written. At the end
-- they leave the slash before them.
local function resolve(text, shown)
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

local function decode_dots(segment)
    return (str_gsub(segment, "%%2[eE]", "."))
end

local function without_parameters(text)
    return (str_gsub(text, ";[^/]*", ""))
end

local function with_slashes(text)
    return (str_gsub(str_gsub(text, "\\", "/"), "%%5[cC]", "/"))
end

local function merge(text)
    return (str_gsub("/" .. text, "//+", "/"))
end

--- The paths that backends may read in a target.
---@return string[]
function _M.of(target)
    local raw = of_target(target)
    return {
        -- Dot segments as any other; removed before decoding; removed where only the dots are encoded (WHATWG URL).
        merge(decode(raw)),
        merge(decode(resolve(raw))),
        merge(decode(resolve(raw, decode_dots))),
        resolve(decode(without_parameters(raw))),
        resolve(decode(with_slashes(raw))),
        resolve(decode(without_parameters(with_slashes(raw)))),
    }
end

local function same_list(a, b)
    if #(a or {}) ~= #(b or {}) then
        return false
    end
    for i = 1, #(a or {}) do
        if a[i] ~= b[i] then
            return false
        end
    end
    return true
end

-- Does the rule keep out somebody whom the chosen one lets in?
local function protects(other, chosen)
    local route, own = other[ROUTE], chosen[ROUTE]
    if other.broken or not own then
        return other ~= chosen
    end
    if not route or route == own or not (route.checked or route.refuse) then
        return false
    end
    return route.refuse ~= nil
        or not same_list(route.auth, own.auth)
        or not same_list(route.allow, own.allow)
        or not same_list(route.deny, own.deny)
        or route.satisfy ~= own.satisfy
end

--- Ends the request if its target is not one, or if what another rule protects can be read in it.
-- No closure finds the candidates: LuaJIT does not compile functions that make one.
---@param find fun(server_id: string, host: string, path: string): table? the candidate for a path
---@param server_id string
---@param host string
---@param target string $request_uri
---@param uri string the normalised path
function _M.check(find, server_id, host, target, uri)
    if str_find(target, "#", 1, true) then
        -- No part of a request target (RFC 9112, 3.2); nginx cuts the path there, and sends it all.
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

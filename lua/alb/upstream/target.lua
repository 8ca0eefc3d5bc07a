--- Encodes the access phase's choice for the balancer in $albc_backend: an upstream id, after `!` and numbers if there
-- are timeouts or a preferred endpoint. For routes with deadlines or retries, tries.lua encodes it after `*`.
-- A variable instead of ngx.ctx, because it survives internal redirects and costs nothing if unused.
-- May yield: no. Phases: encode in access; decode in balancer and header_filter.
local re_match = ngx.re.match
local str_match = string.match
local tonumber = tonumber

local _M = {}

--- Encodes milliseconds to connect, send and read, and the position of the preferred endpoint (0: any).
function _M.encode(upstream_id, timeouts, preferred)
    if not timeouts and not preferred then
        return upstream_id
    end
    local connect, send, read = 0, 0, 0
    if timeouts then
        connect, send, read = timeouts.connect, timeouts.send, timeouts.read
    end
    return "!"
        .. connect
        .. " "
        .. send
        .. " "
        .. read
        .. " "
        .. (preferred or 0)
        .. " "
        .. upstream_id
end

--- The upstream id of a result of this module's or of tries.lua's `encode`.
function _M.upstream(target)
    return str_match(target, "%S+$")
end

--- Decodes the result of `encode`: upstream id, connect, send, read, preferred.
function _M.decode(target)
    local m = re_match(target, [[^!(\d+) (\d+) (\d+) (\d+) (.*)$]], "jos")
    if not m then
        return target, 0, 0, 0, 0
    end
    return m[5], tonumber(m[1]), tonumber(m[2]), tonumber(m[3]), tonumber(m[4])
end

return _M

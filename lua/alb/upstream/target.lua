--- What the access phase tells the balancer in $albc_backend: an upstream id, or `!` and further wishes before it
-- (`*` and others for routes with deadlines or retries: tries.lua).
-- Text in a variable rather than ngx.ctx, because it outlives internal redirects and costs nothing when unused.
-- May yield: no. Phases: access writes, balancer reads.
local re_match = ngx.re.match
local tonumber = tonumber

local _M = {}

--- With milliseconds to connect, send and read, and the position of the endpoint to prefer (0: any).
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

--- Takes apart what `encode` made: upstream id, connect, send, read, preferred.
function _M.decode(target)
    local m = re_match(target, [[^!(\d+) (\d+) (\d+) (\d+) (.*)$]], "jos")
    if not m then
        return target, 0, 0, 0, 0
    end
    return m[5], tonumber(m[1]), tonumber(m[2]), tonumber(m[3]), tonumber(m[4])
end

return _M

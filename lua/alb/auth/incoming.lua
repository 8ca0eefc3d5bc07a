--- The bytes of one response as they come: each read is work for the worker however little it brings, so there are only
--- so many of them, and they end at a deadline.
-- May yield: more does. Phases: any with cosockets.
local now = ngx.now

local _M = {}

local PIECE = 65536
-- 1 MiB in packets of Ethernet's size needs 725.
local MAX_READS = 1024

---@param deadline number seconds as ngx.now
function _M.new(sock, deadline)
    return { sock = sock, deadline = deadline, reads = 0 }
end

--- What comes next.
---@return string? data
---@return string? err
function _M.more(source)
    local left = (source.deadline - now()) * 1000
    if left <= 0 then
        return nil, "timeout"
    end
    source.reads = source.reads + 1
    if source.reads > MAX_READS then
        return nil, "response in too many pieces"
    end
    source.sock:settimeout(left)
    return source.sock:receiveany(PIECE)
end

return _M

--- The bytes of one response as they arrive. Each read costs the worker time however small it is, so their number
--- is limited, and all end at a deadline.
-- May yield: more does. Phases: any with cosockets.
local limit = require("alb.auth.connection").limit

local now = ngx.now

local _M = {}

local PIECE = 65536
-- 1 MiB in packets of Ethernet's size needs 725.
local MAX_READS = 1024

---@param deadline number seconds as ngx.now
function _M.new(sock, deadline)
    return { sock = sock, deadline = deadline, reads = 0 }
end

--- Reads the next bytes.
---@return string? data
---@return string? err
function _M.more(source)
    if now() >= source.deadline then
        return nil, "timeout"
    end
    source.reads = source.reads + 1
    if source.reads > MAX_READS then
        return nil, "response in too many pieces"
    end
    limit(source.sock, source.deadline)
    return source.sock:receiveany(PIECE)
end

return _M

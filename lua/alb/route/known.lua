--- The fast path for most requests: the Host header is canonical, the target has only one reading, and the host and
-- path were looked up before.
--
-- It compares raw bytes, so no Lua string of the target is created. phases/access.lua finds the same candidate for any
-- request. May yield: no. Phases: access.
local bytes = require("alb.bytes")
local candidates = require("alb.route.candidate")
local ffi = require("ffi")
local hosts = require("alb.policy.hosts")
local index = require("alb.policy.index")
local prefix = require("alb.route.prefix")
local reader = require("alb.nginx_variable").reader

local equal = bytes.equal
local ffi_str = ffi.string
local get_host = reader("host")
local get_http_host = reader("http_host")
local get_request_uri = reader("request_uri")
local get_uri = reader("uri")
local is_one = require("alb.route.readings").is_one
local winner = prefix.winner

local SEQ = candidates.SEQ
local DEPTH = prefix.DEPTH

local _M = {}

-- The table of the request's host; nil if the Host header differs from it.
local function table_of(server_id)
    local host, length = get_host()
    local raw, raw_length = get_http_host()
    if not host or raw_length ~= length or not equal(raw, host, length) then
        return nil
    end
    local by_host = hosts.tables[server_id]
    return by_host and by_host[ffi_str(host, length)]
end

--- The candidate with a valid ROUTE; nil if this request needs the general way.
---@param server_id string
---@return table? candidate
---@return ffi.cdata*? target as the client sent it: the path, and nothing or the query
---@return integer? length of the target
function _M.candidate(server_id)
    local built = table_of(server_id)
    if not built or not built[DEPTH] then
        return nil
    end
    local uri, length = get_uri()
    local target, target_length = get_request_uri()
    if not uri or not target or not is_one(target, target_length, uri, length) then
        return nil
    end
    local candidate = winner(built, uri, length)
    if candidate and candidate[SEQ] == index.seq() then
        return candidate, target, target_length
    end
    return nil
end

return _M

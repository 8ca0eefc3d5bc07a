--- Request targets of the hop for verified TLS. The gateway puts what the hop must know before the path:
-- `/<profile>/<h or g>/<target>/<route>`, then the request's own target. target and route are base64url.
-- May yield: no. Pure.
local base64 = require("ngx.base64")

local encode = base64.encode_base64url
local decode = base64.decode_base64url
local re_match = ngx.re.match

local _M = {}

local PATTERN = [[^/([0-9A-Za-z-]+)/([hg])/([\w-]+)/([\w-]*)(.*)$]]

--- Returns the prefix of the request target.
---@param profile string id of a BackendTls
---@param is_grpc boolean
---@param target string $albc_backend, see upstream/target.lua
---@param route string route id
---@return string
function _M.encode(profile, is_grpc, target, route)
    return "/" .. profile .. (is_grpc and "/g/" or "/h/") .. encode(target) .. "/" .. encode(route)
end

--- Splits a request target of the hop; nil if it is none.
---@return { profile: string, is_grpc: boolean, target: string, route: string, rest: string }?
function _M.decode(text)
    local m = re_match(text, PATTERN, "jos")
    local target = m and decode(m[3])
    local route = m and decode(m[4])
    if not target or not route then
        return nil
    end
    return { profile = m[1], is_grpc = m[2] == "g", target = target, route = route, rest = m[5] }
end

return _M

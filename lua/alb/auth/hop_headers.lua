--- The headers that a client declares to be hop-by-hop (RFC 9110, 7.6.1).
-- May yield: no. Phases: any with a request.
local headers = require("alb.headers")

local claims = headers.claims
local of_hop = headers.of_hop
local var = ngx.var
local re_gmatch = ngx.re.gmatch
local str_lower = string.lower
local str_sub = string.sub

local _M = {}

-- Values of Connection that name no other header.
local usual = {
    [""] = true,
    close = true,
    ["keep-alive"] = true,
    upgrade = true,
    ["keep-alive, upgrade"] = true,
}

local NONE = {}

-- A client must not remove the headers that say where a request came from.
local function is_kept(name)
    return of_hop[name]
        or claims[name]
        or name == "x-real-ip"
        or str_sub(name, 1, 12) == "x-forwarded-"
end

--- Names that the client's Connection header declares to be hop-by-hop, in lower case.
---@return table<string, true> set not to be changed
function _M.declared()
    local connection = var.http_connection
    if not connection or usual[str_lower(connection)] then
        return NONE
    end
    local set = {}
    for m in re_gmatch(str_lower(connection), [[[^,\s]+]], "jo") do
        if not is_kept(m[0]) and m[0] ~= "close" then
            set[m[0]] = true
        end
    end
    return set
end

return _M

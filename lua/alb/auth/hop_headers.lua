--- Headers of one hop or of the body (RFC 9110, 7.6.1 and 6.4), as src/translate/http/special-headers.ts has them.
-- May yield: no. Phases: any with a request.
local var = ngx.var
local pairs = pairs
local re_gmatch = ngx.re.gmatch
local str_lower = string.lower
local str_sub = string.sub

local _M = {}

-- nginx's own: no setting changes them.
_M.of_connection = {
    connection = true,
    ["content-length"] = true,
    ["keep-alive"] = true,
    ["proxy-connection"] = true,
    te = true,
    trailer = true,
    ["transfer-encoding"] = true,
    upgrade = true,
    ["x-albc-turns"] = true,
}

-- With those above: none of them is copied to an auth service or from one.
_M.names = {
    expect = true,
    host = true,
    ["http2-settings"] = true,
    ["proxy-authenticate"] = true,
    ["proxy-authorization"] = true,
}
for name in pairs(_M.of_connection) do
    _M.names[name] = true
end

-- Values of Connection that name no header of the client's.
local usual = {
    [""] = true,
    close = true,
    ["keep-alive"] = true,
    upgrade = true,
    ["keep-alive, upgrade"] = true,
}

local NONE = {}

-- What tells where a request came from is not the client's to take away.
local function is_kept(name)
    return _M.names[name]
        or name == "forwarded"
        or name == "x-real-ip"
        or str_sub(name, 1, 12) == "x-forwarded-"
end

--- Names that the client's Connection header declares to be of this hop, in lower case.
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

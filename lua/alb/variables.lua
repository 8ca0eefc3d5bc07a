--- The variables that users may write in auth URLs, headers and sign-in URLs (docs/auth.md).
-- The compiler checks the names too; the check here ensures that no policy can read other variables of nginx.
-- May yield: no. Phases: access, content.
local ngx = ngx
local var = ngx.var
local escape_uri = ngx.escape_uri
local str_find = string.find
local str_gsub = string.gsub

local _M = {}

-- nginx's variable by the name that users write. If there is a choice, it is the value from a trusted proxy.
local direct = {
    host = "host",
    http_host = "http_host",
    scheme = "scheme",
    pass_access_scheme = "albc_scheme",
    request_uri = "request_uri",
    uri = "uri",
    args = "args",
    query_string = "query_string",
    is_args = "is_args",
    request_method = "request_method",
    remote_addr = "remote_addr",
    remote_port = "remote_port",
    server_addr = "server_addr",
    server_port = "server_port",
    server_name = "server_name",
    server_protocol = "server_protocol",
    request_id = "albc_request_id",
    msec = "msec",
    time_iso8601 = "time_iso8601",
    proxy_add_x_forwarded_for = "albc_xff",
}

local escapes = {
    ["!"] = "%21",
    ["'"] = "%27",
    ["("] = "%28",
    [")"] = "%29",
    ["*"] = "%2A",
}

--- Percent-encodes all but the unreserved characters of RFC 3986; ngx.escape_uri keeps those of `escapes`, as browsers
--- do.
function _M.escape_component(text)
    return (str_gsub(escape_uri(text), "[!'()*]", escapes))
end

local computed = {
    -- Once the credentials are taken out of the request, the one who was let in with them (auth/basic.lua).
    remote_user = function()
        local user = var.albc_remote_user
        return user ~= "" and user or var.remote_user
    end,
    escaped_request_uri = function()
        return _M.escape_component(var.request_uri)
    end,
}

-- `http_<header>` and so on.
local families = { "^http_.", "^arg_.", "^cookie_.", "^ssl_client_." }

local function is_of_family(name)
    for i = 1, #families do
        if str_find(name, families[i]) then
            return true
        end
    end
    return false
end

--- Returns whether users may write the variable.
function _M.is_known(name)
    return direct[name] ~= nil or computed[name] ~= nil or is_of_family(name)
end

--- The value in this request; nil if it has none. For known names only.
---@param name string
---@return string?
function _M.get(name)
    local compute = computed[name]
    if compute then
        return compute()
    end
    return var[direct[name] or name]
end

return _M

--- Cookies by which clients keep their endpoints: attributes as ingress-nginx writes them, in its order.
-- May yield: no. Phases: prepare in any but init; text in access, header_filter.
local ngx = ngx
local var = ngx.var
local concat = table.concat
local cookie_time = ngx.cookie_time
local re_find = ngx.re.find
local str_find = string.find
local time = ngx.time

local _M = {}

-- Browsers that take SameSite=None for Strict.
local REFUSES_NONE = [[Chrome/[456]|CPU iPhone OS 12|iPad; CPU OS 12|]]
    .. [[^(?!.*Chrome)(?=.*Macintosh)(?=.*Intel Mac OS X 10_14).*Safari]]

-- A `;` would start another attribute.
local function safe(text, default)
    return text and not str_find(text, "[;%c]") and text or default
end

--- The parts of the attributes that are the same for all clients.
---@param path string?
---@param attributes table? SessionCookie of a route
---@return table cookie for `text`
function _M.prepare(path, attributes)
    attributes = attributes or {}
    local parts = {}
    if attributes.maxAge then
        parts[#parts + 1] = "; Max-Age=" .. attributes.maxAge
    end
    if safe(attributes.domain) then
        parts[#parts + 1] = "; Domain=" .. attributes.domain
    end
    parts[#parts + 1] = "; Path=" .. safe(path, "/")
    local same_site = attributes.sameSite
    return {
        expires = attributes.expires,
        head = concat(parts),
        secure = attributes.secure,
        same_site = same_site and "; SameSite=" .. same_site or "",
        is_conditional = same_site == "None" and attributes.conditional,
        tail = attributes.partitioned and "; Partitioned" or "",
    }
end

local function same_site_of(cookie)
    local agent = cookie.is_conditional and var.http_user_agent
    if agent and re_find(agent, REFUSES_NONE, "jo") then
        return ""
    end
    return cookie.same_site
end

--- The value of Set-Cookie.
---@param name string
---@param value string
---@param cookie table prepared
---@return string
function _M.text(name, value, cookie)
    local expires = cookie.expires
    local secure = cookie.secure or var.albc_scheme == "https"
    return concat({
        name .. "=" .. value,
        expires and "; Expires=" .. cookie_time(time() + expires) or "",
        cookie.head,
        secure and "; Secure" or "",
        "; HttpOnly",
        same_site_of(cookie),
        cookie.tail,
    })
end

return _M

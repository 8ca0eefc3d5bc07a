--- Cookies of auth services on their way to the client, kept in $albc_cookies: it survives internal redirects and is
-- available for errors that nginx makes. Each line has `a` (always) or `s` (only if the final status is a success),
-- then the value of Set-Cookie.
-- May yield: no. Phases: add in access; apply in header_filter.
local ngx_resp = require("ngx.resp")

local var = ngx.var
local add_header = ngx_resp.add_header
local str_byte = string.byte
local str_find = string.find
local str_sub = string.sub

local _M = {}

local ALWAYS, ON_SUCCESS = "a", "s"
local ALWAYS_BYTE = str_byte(ALWAYS)

local success = {
    [200] = true,
    [201] = true,
    [204] = true,
    [206] = true,
    [301] = true,
    [302] = true,
    [303] = true,
    [304] = true,
    [307] = true,
    [308] = true,
}

--- Keeps the Set-Cookie lines of an auth response for the client.
---@param lines string[] without line breaks
---@param always boolean with any final status
function _M.add(lines, always)
    local text = var.albc_cookies
    for i = 1, #lines do
        text = text .. (always and ALWAYS or ON_SUCCESS) .. lines[i] .. "\n"
    end
    var.albc_cookies = text
    var.albc_after = "1"
end

--- Adds the cookies to the response, after the backend's own.
function _M.apply(status)
    local text = var.albc_cookies
    local is_success = success[status]
    local pos = 1
    while pos <= #text do
        local stop = str_find(text, "\n", pos, true)
        if is_success or str_byte(text, pos) == ALWAYS_BYTE then
            add_header("Set-Cookie", str_sub(text, pos + 1, stop - 1))
        end
        pos = stop + 1
    end
end

return _M

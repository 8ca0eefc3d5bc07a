--- Texts of clients in the access log, which is JSON and therefore UTF-8.
--
-- In a text that is not UTF-8, each byte that is not ASCII is logged as `\xHH`, so no byte is lost.
-- May yield: no. Phases: access, header_filter.
local ngx = ngx
local find = ngx.re.find
local var = ngx.var
local str_byte = string.byte
local str_format = string.format
local str_gsub = string.gsub

-- RFC 3629, 4.
local UTF8 = [=[^(?:[\x00-\x7f]|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|\xed[\x80-\x9f][\x80-\xbf]]=]
    .. [=[|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xf0[\x90-\xbf][\x80-\xbf]{2}]=]
    .. [=[|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2})*+\z]=]

local _M = {}

local function escape(byte)
    return str_format("\\x%02X", str_byte(byte))
end

local function shown(text)
    if not text or find(text, UTF8, "jo") then
        return text
    end
    return (str_gsub(text, "[\128-\255]", escape))
end

--- Sets the log's variables if the request's texts are not ASCII.
function _M.show()
    -- Empty if all bytes are ASCII.
    if var.albc_odd == "1" then
        var.albc_log_host = shown(var.host)
        var.albc_log_uri = shown(var.request_uri)
        var.albc_log_agent = shown(var.http_user_agent)
    end
end

return _M

--- Says in a response that it depends on the request's Origin (RFC 9110, 12.5.5).
-- May yield: no. Phases: access, header_filter.
local concat = table.concat
local re_find = ngx.re.find
local type = type

local _M = {}

--- Adds Origin to Vary unless it is there.
---@param header table ngx.header
function _M.by_origin(header)
    local vary = header["Vary"]
    if type(vary) == "table" then
        vary = concat(vary, ", ")
    end
    if not vary or vary == "" then
        header["Vary"] = "Origin"
    elseif not re_find(vary, [[(?:^|,)\s*(?:origin|\*)\s*(?:,|$)]], "ijo") then
        header["Vary"] = vary .. ", Origin"
    end
end

return _M

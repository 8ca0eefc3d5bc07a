local bytes_of = require("alb.bytes").of
local log = require("alb.log")

local _M = {}

function _M.is_ascii(text)
    return log.is_ascii(bytes_of(text), #text)
end

-- Whether one byte that is not ASCII is found at every place of texts of every length.
function _M.finds_each_byte()
    for length = 1, 256 do
        for place = 0, length - 1 do
            local text = ("a"):rep(place) .. "\128" .. ("b"):rep(length - place - 1)
            if _M.is_ascii(text) then
                return false, length, place
            end
        end
    end
    return true
end

return _M

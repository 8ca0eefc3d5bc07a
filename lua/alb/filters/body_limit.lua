--- Refuses request bodies that are longer than the route allows.
-- May yield: no. Phases: access.
local body = require("alb.body")
local errors = require("alb.errors")

local _M = { field = "bodyLimit" }

---@param holder table
---@return integer? limit for a body without a declared length: a location with this limit counts it while reading
function _M.request(holder)
    local limit = holder.bodyLimit
    local length = body.length()
    if length and length > limit then
        return errors.exit(413, errors.reasons.body_too_large)
    end
    return body.lacks_length() and limit or nil
end

return _M

--- Calls of alb.auth.access with methods that a test makes up.
local _M = {}

--- Names of the methods that removed their credentials from the request, in order.
function _M.stripped(names)
    local stripped, methods, auth = {}, {}, {}
    for i = 1, #names do
        auth[names[i]] = { name = names[i] }
        methods[i] = {
            field = names[i],
            prepare = function()
                return true
            end,
            check = function()
                return true
            end,
            strip = function(settings)
                stripped[#stripped + 1] = settings.name
            end,
        }
    end
    local real = package.loaded["alb.auth.methods"]
    package.loaded["alb.auth.methods"] = methods
    package.loaded["alb.auth.access"] = nil
    require("alb.auth.access").check({ auths = { auth }, auth_rows = {} })
    package.loaded["alb.auth.methods"] = real
    package.loaded["alb.auth.access"] = nil
    return stripped
end

return _M

--- Calls of alb.auth.access with methods that a test makes up.
local _M = {}

local function load_with(methods)
    package.loaded["alb.auth.methods"] = methods
    package.loaded["alb.auth.plan"], package.loaded["alb.auth.access"] = nil, nil
    return require("alb.auth.access")
end

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
    load_with(methods).check({ auths = { auth }, auth_rows = {} })
    load_with(real)
    return stripped
end

return _M

--- Expands segments with values that a test gives in place of a request's.
local interpolation = require("alb.interpolation")
local variables = require("alb.variables")

local _M = {}

--- Prepares and expands; the values by variable name.
function _M.expand(segments, values)
    local real = variables.get
    local prepared, err = interpolation.prepare(segments)
    if not prepared then
        return nil, err
    end
    variables.get = function(name)
        return values[name]
    end
    local text, problem = interpolation.expand(prepared, math.huge)
    variables.get = real
    return text, problem
end

--- Expands in the request that calls it: the segments are the body.
function _M.serve()
    ngx.req.read_body()
    local cjson = require("cjson")
    local how = ngx.var.arg_as == "url" and "prepare_url" or "prepare"
    local prepared = interpolation[how](cjson.decode(ngx.req.get_body_data()))
    ngx.print(cjson.encode({ interpolation.expand(prepared, math.huge) }))
end

return _M

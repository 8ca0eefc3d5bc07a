--- Lets a test call a Lua function: JSON in, JSON out. See test/support/lua-nginx.ts.
local cjson = require("cjson")

local _M = {}

-- Strings that JSON can't hold as they are travel as { "%base64": … }.
local function unwrap(value)
    if value == cjson.null then
        return nil
    end
    if type(value) ~= "table" then
        return value
    end
    if value["%base64"] then
        return ngx.decode_base64(value["%base64"])
    end
    for key, item in pairs(value) do
        value[key] = unwrap(item)
    end
    return value
end

local function wrap(value)
    if value == nil then
        return cjson.null
    end
    if type(value) == "string" and value:find("[^ -~]") then
        return { ["%base64"] = ngx.encode_base64(value) }
    end
    if type(value) == "table" then
        local copy = setmetatable({}, getmetatable(value))
        for key, item in pairs(value) do
            copy[key] = wrap(item)
        end
        return copy
    end
    return value
end

local function pack(...)
    return { n = select("#", ...), ... }
end

function _M.run()
    ngx.req.read_body()
    local call = cjson.decode(ngx.req.get_body_data())
    local args, n = {}, #call.args
    for i = 1, n do
        args[i] = unwrap(call.args[i])
    end
    local results = pack(xpcall(function()
        return require(call.module)[call.name](unpack(args, 1, n))
    end, debug.traceback))
    if not results[1] then
        ngx.status = 500
        return ngx.print(results[2])
    end
    local list = setmetatable({}, cjson.array_mt)
    for i = 2, results.n do
        list[i - 1] = wrap(results[i])
    end
    return ngx.print(cjson.encode(list))
end

return _M

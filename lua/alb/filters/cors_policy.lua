--- What both dialects of a CORS policy have in common: their lists, ready to be sent.
-- May yield: no. Phases: prepare any; put_lists in access and header_filter.
local origin_list = require("alb.filters.origin")

local var = ngx.var
local concat = table.concat

local _M = {}

-- A list for a header; nil when there is nothing to say.
local function joined(list)
    return list and #list > 0 and concat(list, ", ") or nil
end

--- Makes a decoded Cors ready.
---@param cors table
---@param origins string[] as origin.lua reads them
function _M.prepare(cors, origins)
    cors.matcher = origin_list.prepare(origins)
    cors.allow_methods = joined(cors.methods)
    cors.allow_headers = joined(cors.headers)
    cors.expose_headers = joined(cors.expose)
    cors.max_age = tostring(cors.maxAge)
    -- Without credentials "everybody" is the same answer for everybody.
    cors.varies = cors.credentials or not cors.matcher.any
end

-- With credentials `*` is a name for browsers, not a wildcard: what was asked for is allowed by name.
local function named(cors, list, asked)
    if list == "*" and cors.credentials then
        return asked
    end
    return list
end

--- Says which methods and headers are allowed, and for how long that holds.
---@param cors table prepared
---@param header table ngx.header
function _M.put_lists(cors, header)
    header["Access-Control-Allow-Methods"] =
        named(cors, cors.allow_methods, var.http_access_control_request_method)
    header["Access-Control-Allow-Headers"] =
        named(cors, cors.allow_headers, var.http_access_control_request_headers)
    header["Access-Control-Max-Age"] = cors.max_age
end

return _M

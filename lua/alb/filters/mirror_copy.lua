--- Builds the copy of a request for a mirror, without its first line: the Host, headers and body that backends get.
-- May yield: read_body. Phases: access.
local client_body = require("alb.body")
local client_headers = require("alb.auth.client_headers")
local ffi = require("ffi")
local trace = require("alb.trace")
local turns = require("alb.turns")
local of_hop = require("alb.headers").of_hop

local ngx = ngx
local var = ngx.var
local ffi_str = ffi.string
local fold = client_headers.fold
local concat = table.concat
local pairs = pairs

local _M = {}

-- The gateway's own headers for backends (render/nginx/server-view.ts), each with its variable.
local OWN = {}

-- Folded names of client headers that are not copied.
local left_out = {
    ["x-original-uri"] = true,
}
for name in pairs(of_hop) do
    left_out[name] = true
end
left_out[turns.HEADER:lower()] = true
for i = 1, #client_headers.ORIGIN do
    local header = client_headers.ORIGIN[i]
    local name = header[1]:lower()
    if not left_out[name] then
        left_out[name] = true
        OWN[#OWN + 1] = header
    end
end
left_out["x-request-id"] = true
OWN[#OWN + 1] = { "X-Request-ID", "albc_request_id" }
if trace.on then
    for i = 1, #trace.HEADERS do
        left_out[trace.HEADERS[i][1]] = true
        OWN[#OWN + 1] = trace.HEADERS[i]
    end
end

local no_body = { GET = true, HEAD = true, OPTIONS = true, DELETE = true, TRACE = true }

--- The body to copy, "" for none; nil if the request can't be copied.
---@return string?
function _M.read_body()
    local length = client_body.length()
    if length then
        if length > client_body.MOST_HELD then
            return nil
        end
        return length == 0 and "" or client_body.read()
    end
    if var.http_transfer_encoding then
        return nil
    end
    -- HTTP/2 allows a body without a declared length.
    local is_http1 = var.server_protocol == "HTTP/1.1" or var.server_protocol == "HTTP/1.0"
    return (is_http1 or no_body[var.request_method]) and "" or nil
end

local function put_client_headers(lines, n)
    local declared = client_headers.declared()
    local elements, count = client_headers.read()
    for i = 0, count - 1 do
        local key, value = elements[i].key, elements[i].value
        local name = ffi_str(key.data, key.len)
        if not left_out[fold(name)] and not declared[name] then
            n = n + 1
            lines[n] = name .. ": " .. ffi_str(value.data, value.len)
        end
    end
    return n
end

local function put_own_headers(lines, n)
    for i = 1, #OWN do
        local value = var[OWN[i][2]] or ""
        if value ~= "" then
            n = n + 1
            lines[n] = OWN[i][1] .. ": " .. value
        end
    end
    lines[n + 1] = turns.HEADER .. ": " .. turns.OF_COPY
    return n + 1
end

--- Returns everything after the request line.
---@param body string
---@return string
function _M.build(body)
    local lines = { "Host: " .. var.albc_upstream_host }
    local n = put_own_headers(lines, put_client_headers(lines, 1))
    if body ~= "" or client_body.length() then
        n = n + 1
        lines[n] = "Content-Length: " .. #body
    end
    lines[n + 1], lines[n + 2] = "", body
    return concat(lines, "\r\n")
end

return _M

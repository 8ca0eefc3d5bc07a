--- nginx's variables, read where they lie and written from bytes: for the few that every request needs.
--
-- ngx.var makes a string of each value, and what is a new string in every request (targets, ids) costs more than what
-- is done with it: it is allocated, interned, and collected. Everywhere else ngx.var is the better choice.
-- May yield: no. Phases: any with a request.
require("resty.core.var")
local base = require("resty.core.base")
local ffi = require("ffi")

local C = ffi.C
local ffi_new = ffi.new
local get_request = base.get_request
local tonumber = tonumber

local _M = {}

local OK = 0
-- nginx writes errors there; they can't be: all names are of our own nginx.conf.
local ERROR_SIZE = 256
local error_text = ffi_new("char *[1]")
local error_buffer = ffi_new("unsigned char[?]", ERROR_SIZE)
local error_length = ffi_new("size_t[1]")

--- A function that gives the bytes of a variable (they last as long as the request) and how many they are; nil when it
--- has no value.
---@param name string
---@return fun(): ffi.cdata*?, integer?
function _M.reader(name)
    local length = #name
    local lower = ffi_new("unsigned char[?]", length)
    local value, size = ffi_new("unsigned char *[1]"), ffi_new("size_t[1]")
    return function()
        local rc = C.ngx_http_lua_ffi_var_get(
            get_request(),
            name,
            length,
            lower,
            0,
            value,
            size,
            error_text
        )
        if rc == OK then
            return value[0], tonumber(size[0])
        end
    end
end

--- A function that sets a variable to a number of bytes, which are copied.
---@param name string
---@return fun(value: string|ffi.cdata*, length: integer)
function _M.writer(name)
    local name_length = #name
    local lower = ffi_new("unsigned char[?]", name_length)
    return function(value, length)
        error_length[0] = ERROR_SIZE
        C.ngx_http_lua_ffi_var_set(
            get_request(),
            name,
            name_length,
            lower,
            value,
            length,
            error_buffer,
            error_length
        )
    end
end

return _M

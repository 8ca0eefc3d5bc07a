--- Reads and writes nginx's variables as bytes, for the few variables that every request needs.
--
-- ngx.var creates a string for each value. A string that differs in every request (a target, an id) costs more to
-- allocate, intern and collect than to use. Everywhere else ngx.var is the better choice.
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
-- nginx writes errors here. None can occur: our nginx.conf defines all names.
local ERROR_SIZE = 256
local error_text = ffi_new("char *[1]")
local error_buffer = ffi_new("unsigned char[?]", ERROR_SIZE)
local error_length = ffi_new("size_t[1]")

--- Returns a function that returns the bytes of a variable, which last as long as the request, and their number; nil
--- if the variable has no value.
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

--- Returns a function that copies bytes into a variable.
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

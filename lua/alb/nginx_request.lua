--- The first fields of nginx's structure of a request, for what no variable tells as cheaply.
--
-- `ngx_http_request_t` and what it points to are unchanged in these fields since 2009, tries since 2015 (1.9.1). An
-- An nginx that was built without its cache lacks a field, so its fields from `upstream` on are not known.
-- May yield: no. Phases: any with a request.
local ffi = require("ffi")
local get_request = require("resty.core.base").get_request

local cast = ffi.cast
local tonumber = tonumber

ffi.cdef([[
    typedef struct {
        size_t length;
        char *bytes;
    } albc_text_t;
    typedef struct {
        void *data;
        void *read;
        void *write;
        int fd;
        void *recv;
        void *send;
        void *recv_chain;
        void *send_chain;
        void *listening;
        int64_t sent;
    } albc_connection_t;
    typedef struct {
        void *read_event_handler;
        void *write_event_handler;
        albc_connection_t *connection;
        void *address;
        uint32_t address_size;
        albc_text_t *name;
        uintptr_t tries_left;
    } albc_upstream_t;
    typedef struct {
        uintptr_t status;
        intptr_t response_time;
        intptr_t connect_time;
        intptr_t header_time;
    } albc_try_t;
    typedef struct {
        char *first;
        uintptr_t count;
        size_t size;
    } albc_tries_t;
    typedef struct {
        uint32_t signature;
        albc_connection_t *connection;
        void *ctx;
        void *main_conf;
        void *srv_conf;
        void *loc_conf;
        void *read_event_handler;
        void *write_event_handler;
        void *cache;
        albc_upstream_t *upstream;
        albc_tries_t *tries;
    } albc_request_t;
]])

local _M = {
    --- Whether `upstream` and what follows it is where it is expected.
    is_known = not ngx.config.nginx_configure():find("--without-http-cache", 1, true),
    --- ctype of a pointer to a request.
    pointer = ffi.typeof("albc_request_t *"),
    --- ctype of a pointer to a try.
    try = ffi.typeof("albc_try_t *"),
}

--- The address of the current request: a number, because a pointer would be an object for the garbage collector.
---@return number
function _M.address()
    return tonumber(cast("intptr_t", get_request()))
end

return _M

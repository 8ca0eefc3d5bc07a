--- Which addresses an auth service of a tenant may have: the gateway must not ask its own machine, or a metadata
-- service, for whoever writes an auth URL. The address is known once a connection is made, whatever name led there.
-- May yield: no. Phases: prepare any; refusal where cosockets are.
local ffi = require("ffi")
local ip_address = require("alb.ip_address")

local C = ffi.C
local byte_array = ffi.typeof("unsigned char[?]")
local ffi_str = ffi.string
local contains_bytes = ip_address.contains_bytes
local pcall = pcall

-- ngx_lua before 0.10.29 tells the descriptor of a socket only by replacing it.
ffi.cdef([[
int getpeername(int fd, void *address, unsigned int *length);
int getsockname(int fd, void *address, unsigned int *length);
int albc_replace_fd(void *socket, int fd, char **err) __asm__("ngx_http_lua_ffi_socket_tcp_hack_fd");
]])

local _M = {}

local IPV4, IPV6 = 2, 10
local SIZE = 128
local address, length = byte_array(SIZE), ffi.new("unsigned int[1]")
local message = ffi.new("char *[1]")
local MAPPED = "\0\0\0\0\0\0\0\0\0\0\255\255"

-- Bytes and lengths of CIDRs.
local function ranges_of(texts)
    local ranges = {}
    for i = 1, #texts do
        ranges[i] = ip_address.parse_cidr(texts[i])
    end
    return ranges
end

local RESERVED = ranges_of(require("alb.auth.reserved_ranges"))

--- Makes the `restricted` part of decoded settings ready.
function _M.prepare(restricted)
    restricted.allowed_ranges = ranges_of(restricted.allowed or {})
end

local function descriptor(sock)
    if sock.getfd then
        return sock:getfd()
    end
    local fd = C.albc_replace_fd(sock[1], -1, message)
    if fd >= 0 then
        C.albc_replace_fd(sock[1], fd, message)
    end
    return fd
end

-- Bytes of the address and the port.
local function read(call, fd)
    length[0] = SIZE
    if call(fd, address, length) ~= 0 then
        return nil
    end
    -- sa_family_t is in the order of the machine.
    local family = ffi.cast("uint16_t *", address)[0]
    local port = address[2] * 256 + address[3]
    if family == IPV4 then
        return ffi_str(address + 4, 4), port
    elseif family == IPV6 then
        local bytes = ffi_str(address + 8, 16)
        return bytes:sub(1, 12) == MAPPED and bytes:sub(13) or bytes, port
    end
end

local function has(ranges, bytes)
    for i = 1, #ranges do
        if contains_bytes(ranges[i], bytes) then
            return true
        end
    end
    return false
end

local function find_refusal(sock, restricted)
    local fd = descriptor(sock)
    local peer, port = read(C.getpeername, fd)
    if not peer then
        return "its address is not known"
    end
    -- Both ends of a connection to the machine itself have one address.
    if port == restricted.healthPort and peer == read(C.getsockname, fd) then
        return "it is the health address of the gateway"
    end
    if has(RESERVED, peer) and not has(restricted.allowed_ranges, peer) then
        return "its address is a loopback or link-local one"
    end
end

--- Why the peer of a connection is no auth service; nil if it can be one.
---@param sock table connected
---@param restricted table prepared
---@return string?
function _M.refusal(sock, restricted)
    local ok, why = pcall(find_refusal, sock, restricted)
    return not ok and "its address can't be read" or why
end

return _M

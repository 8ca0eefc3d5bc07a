--- apr1: Apache's salted MD5 of a password in 1,000 rounds
-- (https://httpd.apache.org/docs/2.4/misc/password_encryptions.html).
--
-- Each round hashes one of eight layouts of password, salt and previous digest. All eight are laid out once, and a
-- round writes its digest straight into its place in the next layout, so a round is one foreign call without a copy.
-- It uses nginx's MD5: every build has it, while OpenSSL's is missing under FIPS and costs more to set up.
-- May yield: no (0.1 to 0.2 ms for a password of usual length). Phases: any.
local bit = require("bit")
local ffi = require("ffi")
require("resty.core.hash")

local C = ffi.C
local ffi_copy = ffi.copy
local ffi_str = ffi.string
local md5_bin = ngx.md5_bin
local band, bor, bxor = bit.band, bit.bor, bit.bxor
local lshift, rshift = bit.lshift, bit.rshift
local str_byte = string.byte
local str_rep = string.rep
local str_sub = string.sub
local concat = table.concat

local _M = {
    --- Bytes of the longest password that `digest` takes.
    MAX_PASSWORD = 1024,
}

local MAGIC = "$apr1$"
local MAX_SALT = 8
local DIGEST = 16
-- Characters of a digest as text.
local DIGEST_LENGTH = 22
local ROUNDS = 1000
-- The sequence of layouts repeats after 2 × 3 × 7 rounds.
local PERIOD = 42
local ALPHABET = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

-- Bit 0: the digest is last instead of first; bit 1: with the salt; bit 2: with the password a second time.
local layout_of = ffi.new("int[?]", PERIOD + 1)
for i = 0, PERIOD do
    layout_of[i] = i % 2 + (i % 3 ~= 0 and 2 or 0) + (i % 7 ~= 0 and 4 or 0)
end

local layout_size = 2 * _M.MAX_PASSWORD + MAX_SALT + DIGEST
-- Functions below must refer to it by this name: pointers into it do not protect it from garbage collection.
local memory = ffi.new("unsigned char[?]", 8 * layout_size)
local text = ffi.new("unsigned char *[8]")
local length = ffi.new("size_t[8]")
-- The digest's place in each layout.
local place = ffi.new("unsigned char *[8]")
for kind = 0, 7 do
    text[kind] = memory + kind * layout_size
end

-- Appends text to a layout that already has `at` bytes.
local function put(kind, at, part)
    ffi_copy(memory + kind * layout_size + at, part, #part)
    return at + #part
end

local function lay_out(kind, password, salt)
    local digest_last = band(kind, 1) ~= 0
    local at = digest_last and put(kind, 0, password) or DIGEST
    if band(kind, 2) ~= 0 then
        at = put(kind, at, salt)
    end
    if band(kind, 4) ~= 0 then
        at = put(kind, at, password)
    end
    place[kind] = text[kind] + (digest_last and at or 0)
    length[kind] = digest_last and at + DIGEST or put(kind, at, password)
end

-- The digest that the rounds start from.
local function first_digest(password, salt)
    local size = #password
    local mix = md5_bin(password .. salt .. password)
    local parts = {
        password,
        MAGIC,
        salt,
        str_rep(mix, math.floor(size / DIGEST)),
        str_sub(mix, 1, size % DIGEST),
    }
    local n = #parts
    local first = str_sub(password, 1, 1)
    while size > 0 do
        n = n + 1
        parts[n] = band(size, 1) ~= 0 and "\0" or first
        size = rshift(size, 1)
    end
    return md5_bin(concat(parts))
end

local function run_rounds()
    local kind = layout_of[0]
    for i = 1, ROUNDS do
        local following = layout_of[i % PERIOD]
        C.ngx_http_lua_ffi_md5_bin(text[kind], length[kind], place[following])
        kind = following
    end
    return place[kind]
end

local function encode24(a, b, c, count)
    local value = bor(lshift(a, 16), lshift(b, 8), c)
    local characters = ""
    for _ = 1, count do
        local index = band(value, 63) + 1
        characters = characters .. str_sub(ALPHABET, index, index)
        value = rshift(value, 6)
    end
    return characters
end

local function encode(digest)
    local b = { str_byte(digest, 1, DIGEST) }
    return encode24(b[1], b[7], b[13], 4)
        .. encode24(b[2], b[8], b[14], 4)
        .. encode24(b[3], b[9], b[15], 4)
        .. encode24(b[4], b[10], b[16], 4)
        .. encode24(b[5], b[11], b[6], 4)
        .. encode24(0, 0, b[12], 2)
end

--- The 22 characters after `$apr1$<salt>$`.
---@param password string any bytes, at most MAX_PASSWORD
---@param salt string at most 8 bytes
---@return string
function _M.digest(password, salt)
    assert(#password <= _M.MAX_PASSWORD and #salt <= MAX_SALT, "password or salt too long")
    for kind = 0, 7 do
        lay_out(kind, password, salt)
    end
    ffi_copy(place[layout_of[0]], first_digest(password, salt), DIGEST)
    return encode(ffi_str(run_rounds(), DIGEST))
end

-- Compares every character, so the time does not depend on where the first difference is.
local function equal(a, b)
    if #a ~= DIGEST_LENGTH or #b ~= DIGEST_LENGTH then
        return false
    end
    local difference = 0
    for i = 1, DIGEST_LENGTH do
        difference = bor(difference, bxor(str_byte(a, i), str_byte(b, i)))
    end
    return difference == 0
end

--- Is it the user's password? Takes as long for users that do not exist.
---@param set table from credentials_file.lua
---@param password string at most MAX_PASSWORD bytes
---@return boolean
function _M.verify(set, user, password)
    local stored = set.entries[user]
    local digest = _M.digest(password, (stored or set.first)[1])
    return equal(digest, stored and stored[2] or digest) and stored ~= nil
end

return _M

--- The body of a response: finds its end, skips it or reads it.
-- A service may send it in pieces of any size, so every byte is looked at only once.
-- May yield: drain and collect do. Phases: any with cosockets for these.
local incoming = require("alb.auth.incoming")

local concat = table.concat
local min = math.min
local more = incoming.more
local str_find = string.find
local str_lower = string.lower
local str_match = string.match
local str_sub = string.sub
local tonumber = tonumber

local _M = {}

-- A larger body costs more to read than a new connection does.
local MAX_BYTES = 65536
-- Each chunk costs about a microsecond, however small it is.
local MAX_CHUNKS = 2048
-- Bytes of a chunk's first line, and of the trailer: only these are searched again when more data arrives.
local MAX_LINE, MAX_TRAILER = 1024, 8192

-- The length if there is exactly one and all parsers read it alike, else nil.
local function single_length(lengths)
    return #lengths == 1 and str_find(lengths[1], "^%d+$") and tonumber(lengths[1]) or nil
end

--- How the body ends (RFC 9112, 6.3).
---@return "none"|"length"|"chunked"|"close"|nil framing nil: the response contradicts itself
---@return integer? length of framing "length"
function _M.framing(method, status, headers)
    local coding, lengths = headers["transfer-encoding"], headers["content-length"]
    if coding and lengths then
        return nil
    end
    if method == "HEAD" or status == 204 or status == 304 then
        return "none"
    end
    if coding then
        return #coding == 1 and str_lower(coding[1]) == "chunked" and "chunked" or nil
    end
    if lengths then
        local length = single_length(lengths)
        return length and "length", length
    end
    return "close"
end

-- The size in a chunk's first line (RFC 9112, 7.1), nil for anything else and for sizes that are too large.
local function chunk_size(line)
    local digits = str_match(line, "^(%x+)[ \t]*$") or str_match(line, "^(%x+)[ \t]*;")
    return digits and #digits <= 6 and tonumber(digits, 16) or nil
end

-- Data of the current chunk. Returns the next position.
local function take_data(body, text, pos)
    local last = min(#text, pos + body.left - 1)
    body.left = body.left - (last - pos + 1)
    body.size = body.size + last - pos + 1
    if body.parts then
        body.parts[#body.parts + 1] = str_sub(text, pos, last)
    end
    return last + 1
end

-- The line end after a chunk's data. Returns the next position; nil if more data is needed, or nil and an error.
local function take_line_end(body, text, pos)
    if #text < pos + 1 then
        return nil
    end
    body.after_data = false
    if str_sub(text, pos, pos + 1) ~= "\r\n" then
        return nil, "malformed chunk"
    end
    return pos + 2
end

-- The trailer of the last chunk, whose first line ends at `stop`. Returns the same as `take_line_end`.
local function take_trailer(body, text, stop)
    local _, last = str_find(text, "\r\n\r\n", stop, true)
    if (last or #text) - stop > MAX_TRAILER then
        return nil, "malformed chunk"
    end
    body.ended = last ~= nil
    body.trailer = last and last > stop + 3 and str_sub(text, stop + 2, last - 2) or nil
    return last and last + 1
end

-- The first line of a chunk, or the last chunk with its trailer. Returns the same as `take_line_end`.
local function take_first_line(body, text, pos)
    local stop = str_find(text, "\r\n", pos, true)
    if not stop then
        return nil, #text - pos > MAX_LINE and "malformed chunk" or nil
    end
    local size = stop - pos <= MAX_LINE and chunk_size(str_sub(text, pos, stop - 1))
    if not size then
        return nil, "malformed chunk"
    end
    if size > 0 then
        body.chunks = body.chunks + 1
        body.left, body.after_data = size, true
        return stop + 2, body.chunks > MAX_CHUNKS and "too many chunks" or nil
    end
    return take_trailer(body, text, stop)
end

local function step(body, text, pos)
    if body.left > 0 then
        return take_data(body, text, pos)
    elseif body.after_data then
        return take_line_end(body, text, pos)
    end
    return take_first_line(body, text, pos)
end

-- Parses the text as far as it can. Returns the next position, or nil and the error.
local function advance(body, text)
    local pos = 1
    while pos <= #text do
        local next_pos, err = step(body, text, pos)
        if err then
            return nil, err
        elseif not next_pos then
            break
        end
        pos = next_pos
        if body.ended then
            break
        end
    end
    return pos
end

-- Reads chunks to their end, or until they hold more than `limit` bytes.
---@param parts string[]? gets the data
---@return integer? size nil: they can't be read
---@return boolean|string clean nothing follows; else the error
---@return string? trailer
local function read_chunks(source, text, limit, parts)
    local body = { left = 0, after_data = false, chunks = 0, size = 0, parts = parts }
    while true do
        local pos, err = advance(body, text)
        if not pos then
            return nil, err
        elseif body.ended then
            return body.size, pos > #text, body.trailer
        elseif body.size > limit then
            return body.size, false
        end
        local data
        data, err = more(source)
        if not data then
            return nil, err
        end
        text = str_sub(text, pos) .. data
    end
end

-- Reads until there are `length` bytes.
---@param parts string[]? gets them
---@return integer? size nil: they do not come
---@return string? err
local function read_bytes(source, text, length, parts)
    local size = #text
    while size < length do
        local data, err = more(source)
        if not data then
            return nil, err, size
        end
        size = size + #data
        if parts then
            parts[#parts + 1] = data
        end
    end
    return size
end

--- Skips the body. If it is cut short, the whole response is invalid (RFC 9112, 8). Of a large body only the beginning
--- is read, and the connection is closed.
---@param source table see incoming.lua
---@param rest string what came after the head already
---@return boolean? ok
---@return boolean|string clean the connection stands right before the next response; else the error
---@return string? trailer its lines, if there are any
function _M.drain(source, rest, framing, length)
    local size, clean, trailer
    if framing == "length" then
        if length <= #rest or length > MAX_BYTES then
            return true, length == #rest
        end
        size, clean = read_bytes(source, rest, length)
        return size ~= nil, size and size == length or clean
    end
    if framing == "chunked" then
        size, clean, trailer = read_chunks(source, rest, MAX_BYTES)
        return size ~= nil, clean, trailer
    end
    return true, framing == "none" and rest == ""
end

local function collect_length(source, rest, length, parts)
    local size, err = read_bytes(source, rest, length, parts)
    if not size then
        return nil, err
    end
    return str_sub(concat(parts), 1, length), size == length
end

local function collect_chunks(source, rest, limit)
    local parts = {}
    local size, clean, trailer = read_chunks(source, rest, limit, parts)
    if not size then
        return nil, clean
    elseif size > limit then
        return nil, "response body too large"
    end
    return concat(parts), clean, trailer
end

local function collect_to_end(source, rest, limit, parts)
    local size, err = read_bytes(source, rest, limit + 1, parts)
    if size then
        return nil, "response body too large"
    elseif err ~= "closed" then
        return nil, err
    end
    return concat(parts), false
end

--- Reads the body.
---@param source table see incoming.lua
---@param rest string what came after the head already
---@param limit integer bytes
---@return string? body
---@return boolean|string clean the connection stands right before the next response; else the error
---@return string? trailer its lines, if there are any
function _M.collect(source, rest, framing, length, limit)
    if framing == "none" then
        return "", rest == ""
    elseif framing == "chunked" then
        return collect_chunks(source, rest, limit)
    elseif framing == "close" then
        return collect_to_end(source, rest, limit, { rest })
    elseif length > limit then
        return nil, "response body too large"
    end
    return collect_length(source, rest, length, { rest })
end

return _M

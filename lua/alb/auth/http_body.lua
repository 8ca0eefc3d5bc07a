--- What follows the head of a response: how far it goes, reading past it, and reading it.
-- May yield: drain and collect do. Phases: any with cosockets for these.
local now = ngx.now
local concat = table.concat
local str_find = string.find
local str_lower = string.lower
local str_match = string.match
local str_sub = string.sub
local tonumber = tonumber

local _M = {}

-- A larger body costs more to read than a new connection does.
local MAX_BYTES = 65536

-- A length alone that everyone reads alike, nil for all else.
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

-- The size in a chunk's first line (RFC 9112, 7.1), nil for anything else and for sizes that nobody waits for.
local function chunk_size(line)
    local digits = str_match(line, "^(%x+)[ \t]*$") or str_match(line, "^(%x+)[ \t]*;")
    return digits and #digits <= 6 and tonumber(digits, 16) or nil
end

-- Past the whole chunks that the text holds.
-- Returns the position after the last chunk's trailer when it is there, else nil and where to go on.
local function skip_chunks(text, pos)
    while true do
        local stop = str_find(text, "\r\n", pos, true)
        if not stop then
            return nil, pos
        end
        local size = chunk_size(str_sub(text, pos, stop - 1))
        if not size then
            return nil, nil
        end
        if size == 0 then
            local _, last = str_find(text, "\r\n\r\n", stop, true)
            return last and last + 1, pos
        end
        local after = stop + 2 + size
        if #text < after + 1 then
            return nil, pos
        end
        if str_sub(text, after, after + 1) ~= "\r\n" then
            return nil, nil
        end
        pos = after + 2
    end
end

local function receive_more(sock, deadline)
    local left = deadline - now()
    if left <= 0 then
        return nil, "timeout"
    end
    sock:settimeout(left * 1000)
    return sock:receiveany(MAX_BYTES)
end

local function drain_length(sock, rest, length, deadline)
    local got = #rest
    while got < length do
        local data, err = receive_more(sock, deadline)
        if not data then
            return nil, err
        end
        got = got + #data
    end
    return true, got == length
end

local function drain_chunked(sock, rest, deadline)
    local pos = 1
    while true do
        local after, next_pos = skip_chunks(rest, pos)
        if after then
            return true, after == #rest + 1
        end
        if not next_pos then
            return nil, "malformed chunk"
        end
        if #rest > MAX_BYTES then
            return true, false
        end
        local data, err = receive_more(sock, deadline)
        if not data then
            return nil, err
        end
        pos = next_pos
        rest = rest .. data
    end
end

--- Reads past the body. One that is cut short makes the whole response worthless (RFC 9112, 8); of a large one the
--- beginning is enough, and the connection is given up.
---@param rest string what came after the head already
---@return true? ok
---@return boolean|string clean the connection stands right before the next response; else the error
function _M.drain(sock, rest, framing, length, deadline)
    if framing == "length" then
        if length <= #rest or length > MAX_BYTES then
            return true, length == #rest
        end
        return drain_length(sock, rest, length, deadline)
    end
    if framing == "chunked" then
        return drain_chunked(sock, rest, deadline)
    end
    return true, framing == "none" and rest == ""
end

-- Reads on until `is_whole` says where the body ends in the text.
local function read_until(sock, text, deadline, limit, is_whole)
    while true do
        local last, err = is_whole(text)
        if last or err then
            return last and text, last or err
        end
        if #text > 2 * limit + MAX_BYTES then
            return nil, "response body too large"
        end
        local data
        data, err = receive_more(sock, deadline)
        if not data then
            return nil, err
        end
        text = text .. data
    end
end

local function content_of_chunks(text)
    local parts, pos = {}, 1
    while true do
        local stop = str_find(text, "\r\n", pos, true)
        local size = chunk_size(str_sub(text, pos, stop - 1))
        if size == 0 then
            return concat(parts)
        end
        parts[#parts + 1] = str_sub(text, stop + 2, stop + 1 + size)
        pos = stop + 4 + size
    end
end

local function collect_chunked(sock, rest, deadline, limit)
    local text, last = read_until(sock, rest, deadline, limit, function(text)
        local after, next_pos = skip_chunks(text, 1)
        return after, not after and not next_pos and "malformed chunk" or nil
    end)
    if not text then
        return nil, last
    end
    return content_of_chunks(text), last == #text + 1
end

local function collect_length(sock, rest, length, deadline, limit)
    local text, last = read_until(sock, rest, deadline, limit, function(text)
        return #text >= length and length or nil
    end)
    if not text then
        return nil, last
    end
    return str_sub(text, 1, length), #text == length
end

local function collect_to_end(sock, rest, deadline, limit)
    local text = rest
    while #text <= limit do
        local data, err = receive_more(sock, deadline)
        if not data then
            return err == "closed" and text or nil, err == "closed" and false or err
        end
        text = text .. data
    end
    return nil, "response body too large"
end

--- Reads the body.
---@param rest string what came after the head already
---@param limit integer bytes
---@return string? body
---@return boolean|string clean the connection stands right before the next response; else the error
function _M.collect(sock, rest, framing, length, deadline, limit)
    if framing == "none" then
        return "", rest == ""
    end
    local body, clean
    if framing == "length" then
        if length > limit then
            return nil, "response body too large"
        end
        return collect_length(sock, rest, length, deadline, limit)
    elseif framing == "chunked" then
        body, clean = collect_chunked(sock, rest, deadline, limit)
    else
        body, clean = collect_to_end(sock, rest, deadline, limit)
    end
    if body and #body > limit then
        return nil, "response body too large"
    end
    return body, clean
end

return _M

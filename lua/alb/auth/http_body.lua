--- What follows the head of a response: how far it goes, and reading past it. Nobody wants the content.
-- May yield: drain does. Phases: any with cosockets for drain.
local now = ngx.now
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

return _M

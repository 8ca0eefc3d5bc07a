--- Sends one HTTP/1.1 request over a pooled connection and reads the head of its response, and its body if wanted.
-- May yield: request does. Phases: those with cosockets.
local connection = require("alb.auth.connection")
local http_body = require("alb.auth.http_body")
local http_head = require("alb.auth.http_head")
local incoming = require("alb.auth.incoming")

local concat = table.concat
local find_end = http_head.find_end
local more = incoming.more
local re_find = ngx.re.find
local str_sub = string.sub

local _M = {}

-- Bytes of a head, and the number of interim responses before the final one.
local MAX_HEAD = 65536
local MAX_INTERIM = 10

--- Adds to a set of wanted header names those that the client itself needs.
function _M.with_framing(wanted)
    wanted.connection = true
    wanted["content-length"] = true
    wanted["transfer-encoding"] = true
    return wanted
end

-- The text up to the end of a head that arrives in pieces; each piece is searched once.
local function receive_rest(source, text)
    local parts, size = { text }, #text
    local tail = str_sub(text, -3)
    while true do
        if size >= MAX_HEAD then
            return nil, "response header too large"
        end
        local data, err = more(source)
        if not data then
            return nil, err
        end
        parts[#parts + 1] = data
        tail = tail .. data
        if find_end(tail, 1) then
            text = concat(parts)
            return text, find_end(text, size > 3 and size - 2 or 1)
        end
        size, tail = size + #data, str_sub(tail, -3)
    end
end

-- The text up to the end of a head and the position of that end, or nil and the error.
local function receive_head(source, text)
    local last = find_end(text, 1)
    if last then
        return text, last
    end
    return receive_rest(source, text)
end

-- Returns the response and the bytes after its head; or nil, the error, and whether nothing had arrived at all.
local function read_response(source, wanted)
    local text, last = more(source)
    if not text then
        return nil, last, true
    end
    for _ = 0, MAX_INTERIM do
        text, last = receive_head(source, text)
        if not text then
            return nil, last
        end
        local status, headers, old = http_head.parse(text, last, wanted)
        if not status then
            return nil, "malformed response"
        end
        text = str_sub(text, last + 1)
        -- Interim responses (RFC 9110, 15.2) are skipped; 101 was not requested, and ends HTTP here.
        if status >= 200 or status == 101 then
            return { status = status, headers = headers, old = old }, text
        end
    end
    return nil, "too many interim responses"
end

local function wants_close(response)
    local values = response.headers.connection
    for i = 1, values and #values or 0 do
        local value = values[i]
        if value ~= "keep-alive" and re_find(value, [[(^|[, \t])close($|[, \t])]], "ijo") then
            return true
        end
    end
    return response.old
end

-- Keeps the connection for the next request if possible.
local function finish(source, method, response, rest, body_limit)
    local sock = source.sock
    local framing, length = http_body.framing(method, response.status, response.headers)
    local ok, clean
    if framing and body_limit then
        ok, clean = http_body.collect(source, rest, framing, length, body_limit)
        response.body = ok
    elseif framing then
        ok, clean = http_body.drain(source, rest, framing, length)
    else
        clean = "contradictory length"
    end
    if ok and clean and response.status ~= 101 and not wants_close(response) then
        connection.keep(sock)
    else
        sock:close()
    end
    if not ok then
        return nil, clean
    end
    return response
end

local function exchange(sock, method, bytes, deadline, wanted, body_limit)
    local _, err = sock:send(bytes)
    if err then
        sock:close()
        return nil, err, true
    end
    local source = incoming.new(sock, deadline)
    local response, rest, nothing = read_response(source, wanted)
    if not response then
        sock:close()
        return nil, rest, nothing and rest ~= "timeout"
    end
    return finish(source, method, response, rest, body_limit)
end

--- Sends a request and reads the response's head; the body is skipped.
---@param service table from connection.service
---@param method string
---@param bytes string the whole request
---@param deadline number seconds as ngx.now, for everything
---@param wanted table<string, true> from `with_framing`: headers whose values are given back
---@param body_limit integer? gives the body too, and an error when it has more bytes; absent: it is passed over
---@return table? response { status, headers: name in lower case → values, body?: string }
---@return string? err
function _M.request(service, method, bytes, deadline, wanted, body_limit)
    local sock, err, reused = connection.open(service, deadline, false)
    if not sock then
        return nil, err
    end
    local response, unanswered
    response, err, unanswered = exchange(sock, method, bytes, deadline, wanted, body_limit)
    if not response and reused and unanswered then
        -- The service closed an idle connection just when it was taken: try once more on a new one.
        sock, err = connection.open(service, deadline, true)
        if not sock then
            return nil, err
        end
        response, err = exchange(sock, method, bytes, deadline, wanted, body_limit)
    end
    return response, err
end

return _M

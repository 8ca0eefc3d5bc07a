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
-- Bytes of an answer that is remembered, and the number of such answers for one policy and for all of them: a service
-- may never say the same twice, and there may be thousands of policies.
local MAX_KNOWN = 2048
local MOST_KNOWN, MOST_IN_ALL = 128, 2048

--- Adds to a set of wanted header names those that this module itself needs.
function _M.with_framing(wanted)
    wanted.connection = true
    wanted["content-length"] = true
    wanted["transfer-encoding"] = true
    wanted["grpc-status"] = true
    wanted["x-alb-err-reason"] = true
    return wanted
end

-- A trailer's line that says that the call failed.
local FAILED = [[^(?:grpc-status[ \t]*:[ \t]*(?!0[ \t]*\r?$)|x-alb-err-reason[ \t]*:)]]

--- Whether the response is an error whatever its status is: gRPC has its errors in responses of 200, and a gateway's
--- own responses to gRPC requests are such errors.
---@param response table from `request`
---@return boolean
function _M.is_failure(response)
    if response.headers["x-alb-err-reason"] then
        return true
    end
    local values = response.headers["grpc-status"]
    for i = 1, values and #values or 0 do
        if values[i] ~= "0" then
            return true
        end
    end
    local trailer = response.trailer
    return trailer ~= nil and re_find(trailer, FAILED, "ijom") ~= nil
end

--- A memory for `request`: answers of a service by their bytes. A service that says yes says the same bytes for most of
--- a second, until the date changes.
function _M.answers()
    return { count = 0, by_bytes = {} }
end

-- The memories that hold answers, and how many these are together.
local used, total = {}, 0

local function forget(answers)
    total = total - answers.count
    answers.count, answers.by_bytes, used[answers] = 0, {}, nil
end

local function make_room(answers)
    if answers.count >= MOST_KNOWN then
        forget(answers)
    end
    if total >= MOST_IN_ALL then
        for each in pairs(used) do
            forget(each)
        end
    end
end

-- Cookies stay out of the memory, and so do refusals, whose parts become parts of others.
local function remember(answers, text, response)
    local status = response.status
    if #text > MAX_KNOWN or response.headers["set-cookie"] or status < 200 or status > 299 then
        return
    end
    make_room(answers)
    total, used[answers] = total + 1, true
    answers.count = answers.count + 1
    answers.by_bytes[text] = response
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

-- Returns the response and the bytes after its head; or nil and the error. `text`: its first bytes.
local function read_response(source, text, wanted)
    local last
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

-- Keeps the connection for the next request if possible. Returns the response, and whether it was kept; or nil and the
-- error.
local function finish(source, method, response, rest, body_limit)
    local sock = source.sock
    local framing, length = http_body.framing(method, response.status, response.headers)
    local ok, clean
    if framing and body_limit then
        ok, clean, response.trailer = http_body.collect(source, rest, framing, length, body_limit)
        response.body = ok
    elseif framing then
        ok, clean, response.trailer = http_body.drain(source, rest, framing, length)
    else
        clean = "contradictory length"
    end
    local is_kept = ok and clean and response.status ~= 101 and not wants_close(response)
    if is_kept then
        connection.keep(sock)
    else
        sock:close()
    end
    if not ok then
        return nil, clean
    end
    return response, is_kept
end

-- Returns the response or nil, the error, whether the response was remembered, and whether nothing had arrived at all.
local function exchange(sock, method, bytes, deadline, wanted, body_limit, answers)
    local _, err = connection.send(sock, bytes, deadline)
    if err then
        sock:close()
        return nil, err, false, true
    end
    local source = incoming.new(sock, deadline)
    local text
    text, err = more(source)
    if not text then
        sock:close()
        return nil, err, false, err ~= "timeout"
    end
    local known = answers and answers.by_bytes[text]
    if known then
        connection.keep(sock)
        return known, nil, true
    end
    local response, rest = read_response(source, text, wanted)
    if not response then
        sock:close()
        return nil, rest
    end
    local is_kept
    response, is_kept = finish(source, method, response, rest, body_limit)
    if not response then
        return nil, is_kept
    end
    if answers and is_kept and source.reads == 1 then
        remember(answers, text, response)
    end
    return response
end

--- Sends a request and reads the response's head; the body is skipped.
---@param service table from connection.service
---@param method string
---@param bytes string the whole request
---@param deadline number seconds as ngx.now, for everything
---@param wanted table<string, true> from `with_framing`: headers whose values are given back
---@param body_limit integer? gives the body too, and an error when it has more bytes; absent: it is passed over
---@param answers table? from `answers`, for requests with this method and these wanted headers, with Set-Cookie, and
--- without `body_limit`; the response is not to be changed then
---@return table? response { status, headers: name in lower case → values, body?: string, trailer?: string }
---@return string? err
---@return boolean? is_known whether the response comes from `answers`
function _M.request(service, method, bytes, deadline, wanted, body_limit, answers)
    local sock, err, reused = connection.open(service, deadline, false)
    if not sock then
        return nil, err
    end
    local response, is_known, unanswered
    response, err, is_known, unanswered =
        exchange(sock, method, bytes, deadline, wanted, body_limit, answers)
    if not response and reused and unanswered then
        -- The service closed an idle connection just when it was taken: try once more on a new one.
        sock, err = connection.open(service, deadline, true)
        if not sock then
            return nil, err
        end
        response, err, is_known =
            exchange(sock, method, bytes, deadline, wanted, body_limit, answers)
    end
    return response, err, is_known
end

return _M

--- Bounds what one request causes if auth services, backends and mirrors lead back to a gateway.
--
-- The header X-Albc-Turns has the budget of a request that a gateway has sent: `<requests>/<copies>`, how many requests
-- may arrive at gateways because of it, itself included, and how many copies for mirrors may be made. A client's own
-- request has MOST of the first. What it sends shares its budget: five eighths for its tries, the rest for questions to
-- auth services, copies and an error page. So a chain of backends ends at the eighth turn, the last backends see at
-- most MOST / 10 tries together, and no more than MOST requests arrive. Nothing has to be remembered.
-- No object can set or remove the header. A client that sends it only has a smaller budget.
-- May yield: no. Phases: any with a request.
local errors = require("alb.errors")

local var = ngx.var
local floor = math.floor
local max = math.max
local min = math.min
local str_match = string.match
local tonumber = tonumber

local _M = {}

_M.HEADER = "X-Albc-Turns"
--- The request has no budget for what its route needs.
_M.SPENT = "too many requests to auth services for one that came back"

-- src/render/nginx/server-view.ts has the value for a client's request that is tried once.
local MOST, COPIES = 100, 10
local FIRST_TURN = floor(MOST * 5 / 8)
-- What a question or copy may cause: it arrives, and its route may have an auth service.
local QUESTION, COPY = 4, 3
-- A request with less makes no copies, or is not sent again after a connection broke.
local COPYING, REPEATING = 20, 9

-- Requests and copies left; nothing for text that no gateway has written.
local function budget()
    local text = var.http_x_albc_turns
    if not text then
        return MOST, COPIES
    end
    local left, copies = str_match(text, "^(%d%d?)/(%d%d?)$")
    left, copies = tonumber(left) or 0, tonumber(copies) or 0
    if left > FIRST_TURN or copies > COPIES then
        return 0, 0
    end
    return left, copies
end

-- Each number of tries can have at least its own one.
local function width(left)
    return max(1, floor(left / 10))
end

local function copies_of(left, copies)
    return left < COPYING and 0 or min(copies, width(left))
end

-- What is left for questions and an error page.
local function rest(left)
    return left - 1 - floor(left * 5 / 8) - COPY * copies_of(left, COPIES)
end

local function question_share(left, questions)
    return max(1, min(QUESTION, floor((rest(left) - 1) / questions)))
end

local function set(left, copies, tries)
    var.albc_turns = floor(floor(left * 5 / 8) / tries) .. "/" .. floor(copies / tries)
end

--- Ends a request whose budget is spent.
---@return boolean turned whether it has been through a gateway
function _M.check()
    if not var.http_x_albc_turns then
        return false
    end
    local left, copies = budget()
    if left < 2 then
        return errors.exit(508, errors.reasons.loop)
    end
    set(left, copies, 1)
    return true
end

--- How many copies the request may make.
---@return integer
function _M.copies()
    return copies_of(budget())
end

--- Shares the budget among the tries of a request.
---@param tries integer that its route asks for
---@param made integer copies for mirrors
---@return integer tries that it may have
function _M.share(tries, made)
    local left, copies = budget()
    tries = min(tries, width(left))
    set(left, copies - made, tries)
    return tries
end

--- The header's value for a copy.
_M.OF_COPY = COPY .. "/0"

-- By number of questions: the value for a question of a client's own request.
local of_first = {}

--- The header's value for a question to an auth service.
---@param questions integer of the request's route
---@return string? value nil: the request came back, and has no budget for so many
function _M.of_question(questions)
    if var.http_x_albc_turns then
        local left = budget()
        return questions <= rest(left) and question_share(left, questions) .. "/0" or nil
    end
    of_first[questions] = of_first[questions] or question_share(MOST, questions) .. "/0"
    return of_first[questions]
end

--- Sets the header's value for an error page.
---@param questions integer of the request's route
---@return boolean whether there may be one
function _M.take_page(questions)
    local left = budget()
    local asked = questions > 0 and questions * question_share(left, questions) or 0
    local share = min(COPY, rest(left) - asked)
    if share < 1 and var.http_x_albc_turns then
        return false
    end
    var.albc_turns = max(1, share) .. "/0"
    return true
end

--- Whether the request may be sent to other endpoints once a connection broke: each of them gets the whole of its
--- budget for tries.
function _M.may_repeat()
    return not var.http_x_albc_turns or budget() >= REPEATING
end

return _M

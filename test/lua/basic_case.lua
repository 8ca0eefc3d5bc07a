--- Parts of basic auth, run in one request: there ngx.now() stands still, so counting is exact.
local _M = {}

-- Attempts of a client until one is refused, each of them failing at this cost. `name` is that of a client, with its
-- realm before it if that matters: `realm/client`.
local function drain(attempts, name, cost)
    local realm = name:match("^(.*)/") or "realm"
    local count = 0
    while attempts.allowed(realm, name, "one") do
        attempts.failed(realm, name, cost, "one")
        count = count + 1
    end
    return count
end

--- How many failed logins each client of a list may compute, one client after the other, at once.
function _M.drain_all(clients, cost)
    package.loaded["alb.auth.attempts"] = nil
    local attempts = require("alb.auth.attempts")
    local counts = {}
    for i, client in ipairs(clients) do
        counts[i] = drain(attempts, client, cost)
    end
    return counts
end

--- How many more a client may compute after a pause, in seconds.
function _M.drain_again(client, seconds)
    package.loaded["alb.auth.attempts"] = nil
    local attempts = require("alb.auth.attempts")
    drain(attempts, client, 1)
    ngx.sleep(seconds)
    return drain(attempts, client, 1)
end

--- How many a client may compute after all were used up and the clock was then set by some seconds.
function _M.drain_after_step(client, seconds)
    local real, offset = ngx.now, 0
    -- luacheck: push ignore 122
    ngx.now = function()
        return real() + offset
    end
    package.loaded["alb.auth.attempts"] = nil
    local attempts = require("alb.auth.attempts")
    drain(attempts, client, 1)
    offset = seconds
    local count = drain(attempts, client, 1)
    ngx.now = real
    -- luacheck: pop
    package.loaded["alb.auth.attempts"] = nil
    return count
end

--- Salts that are hashed with to check this login.
function _M.salts_used(users, user, password)
    local apr1 = require("alb.auth.apr1")
    local real, salts = apr1.digest, {}
    local _, first = next(users)
    apr1.digest = function(text, salt)
        salts[#salts + 1] = salt
        return real(text, salt)
    end
    local set = { entries = users, first = first }
    local ok = apr1.verify(set, user, password)
    apr1.digest = real
    return ok, salts
end

--- What of `count` digests is still remembered: the first, the last.
function _M.remembered(count)
    package.loaded["alb.auth.verified"] = nil
    local verified = require("alb.auth.verified")
    for i = 1, count do
        verified.add("key" .. i)
    end
    local left = 0
    for i = 1, count do
        left = left + (verified.expires("key" .. i) and 1 or 0)
    end
    return left, verified.expires("key" .. count) - ngx.now()
end

-- The request's check with parts replaced; the header is that of the request.
local function check_with(replaced, basic)
    local real = {}
    for name, part in pairs(replaced) do
        real[name] = require(name)
        package.loaded[name] = setmetatable(part, { __index = real[name] })
    end
    package.loaded["alb.auth.basic"] = nil
    local _, refusal = require("alb.auth.basic").check(basic)
    for name in pairs(replaced) do
        package.loaded[name] = real[name]
    end
    package.loaded["alb.auth.basic"] = nil
    return refusal or { status = 200 }
end

local computed = 0

--- Serves a request and says how often any login has been computed.
function _M.serve_counting(users)
    local _, first = next(users)
    local verify = require("alb.auth.apr1").verify
    local answer = check_with({
        ["alb.auth.apr1"] = {
            verify = function(...)
                computed = computed + 1
                return verify(...)
            end,
        },
    }, { credentials = { entries = users, key = "count", first = first } })
    ngx.print(answer.status, " ", computed)
end

--- Serves a request whose client has used up its attempts: `known` in the query says that its login was right before.
function _M.serve_refused(users)
    local known = ngx.var.arg_known ~= nil
    local _, first = next(users)
    local answer = check_with({
        ["alb.auth.verified"] = {
            expires = function()
                return known and ngx.now() - 1 or nil
            end,
        },
        ["alb.auth.attempts"] = {
            allowed = function()
                return false
            end,
            failed = function() end,
            affords = function()
                return true
            end,
            computed = function() end,
        },
    }, { credentials = { entries = users, key = "k", first = first } })
    ngx.print(answer.status, " ", answer.reason or "")
end

return _M

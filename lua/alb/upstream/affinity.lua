--- Keeps a client on one backend and one endpoint (session_affinity_policy, affinity cookies).
--
-- Rendezvous hashing: every candidate gets a score from the client's key and its own name, and the best score wins. All
-- workers and instances make the same choice without communication. A new endpoint takes over only the clients that it
-- wins; a removed one releases only its own.
-- May yield: no. Phases: access.
local bit = require("bit")
local cookies = require("alb.upstream.session_cookie")
local endpoints = require("alb.upstream.endpoints")
local interpolation = require("alb.interpolation")

local ngx = ngx
local var = ngx.var
local crc32 = ngx.crc32_short
local md5 = ngx.md5
local now = ngx.now
local worker_pid = ngx.worker.pid
local band, bxor, lshift, rshift, tobit = bit.band, bit.bxor, bit.lshift, bit.rshift, bit.tobit
local expand = interpolation.expand
local log = math.log
local endpoint_at, is_out = endpoints.at, endpoints.is_out
local huge = math.huge
local math_random = math.random
local str_gsub = string.gsub
local str_lower = string.lower

local _M = {}

-- Bytes of a text to hash.
local MOST_KEY = 8192

-- Number of sessions that this worker has started.
local sessions = 0

-- 32-bit product, computed in halves because a double is exact only up to 53 bits.
local function multiply(a, b)
    local low = band(a, 0xffff) * b
    local high = band(rshift(a, 16) * b, 0xffff)
    return tobit(low + lshift(high, 16))
end

-- MurmurHash3's finalizer: checksums of similar names differ in few bits, but scores must differ in many.
local function mix(h)
    h = multiply(bxor(h, rshift(h, 16)), 0x85ebca6b)
    h = multiply(bxor(h, rshift(h, 13)), 0xc2b2ae35)
    return bxor(h, rshift(h, 16))
end

-- Uniform in (0, 1).
local function score(key_hash, seed)
    return (mix(bxor(key_hash, seed)) + 2147483648.5) / 4294967296
end

-- Seeds depend on names, so the order of backends does not matter; a backend that is listed twice counts twice.
local function seed_backends(wheel)
    local times = {}
    for i = 1, #wheel do
        local name = wheel[i].upstream or ""
        times[name] = (times[name] or 0) + 1
        wheel[i].seed = tobit(mix(crc32(name .. "#" .. times[name])))
    end
end

-- No policy of the compiler has a text that can't be prepared.
local function prepare_hash(route)
    if route.hashBy then
        route.hashed = interpolation.prepare(route.hashBy)
        seed_backends(route.wheel)
    end
end

--- Called once for each decoded route, after weighted.prepare.
function _M.prepare(route)
    local affinity = route.affinity
    if not affinity then
        return prepare_hash(route)
    end
    local kind, name = affinity[1], affinity[2]
    if kind == "clientAddress" then
        affinity.variable = "remote_addr"
    elseif kind == "header" then
        affinity.variable = "http_" .. str_gsub(str_lower(name), "-", "_")
    else
        affinity.variable = "cookie_" .. name
        affinity.cookie = name
        local attributes = route.sessionCookie
        affinity.attributes = cookies.prepare(attributes and attributes.path, attributes)
    end
    seed_backends(route.wheel)
end

-- Unique, but not secret: a client that invents one only chooses an endpoint.
local function new_session()
    sessions = sessions + 1
    return md5(worker_pid() .. "." .. sessions .. "." .. now())
end

local function start_session(affinity)
    local id = new_session()
    ngx.header["Set-Cookie"] = cookies.text(affinity.cookie, id, affinity.attributes)
    return id
end

--- The key that identifies this client. Sets the affinity cookie if the client lacks it.
---@param route table a prepared route with affinity
---@return string? key nil if the client has none, so any endpoint will do
function _M.key(route)
    local affinity = route.affinity
    if not affinity then
        -- As in ingress-nginx, all requests without a value have one endpoint.
        return route.hashed and expand(route.hashed, MOST_KEY) or ""
    end
    local value = var[affinity.variable]
    if value and value ~= "" then
        return value
    end
    return affinity.cookie and start_session(affinity) or nil
end

--- The backend of a key among those with a weight. Shares follow the weights, and a changed weight moves as few clients
--- as possible.
---@param key string
---@param route table
---@return table? backend nil if none has a weight
function _M.backend(key, route)
    local wheel = route.wheel
    if #wheel <= 1 then
        return wheel[1]
    end
    local hash = mix(crc32(key))
    local best, best_score = nil, -huge
    for i = 1, #wheel do
        local backend = wheel[i]
        -- Weighted rendezvous: the smallest exponential variate of rate `weight` wins.
        local value = log(score(hash, backend.seed)) / backend.weight
        if value > best_score then
            best, best_score = backend, value
        end
    end
    return best
end

local function endpoint_seeds(upstream)
    local seeds = {}
    for i = 1, upstream.count do
        local address, port = endpoint_at(upstream, i)
        seeds[i] = tobit(mix(crc32(address .. " " .. port)))
    end
    upstream.seeds = seeds
    return seeds
end

-- The endpoint with the best score below `limit`.
local function best_below(limit, hash, seeds, upstream)
    local best, best_score = nil, -1
    for i = 1, #seeds do
        local value = score(hash, seeds[i])
        if value > best_score and value < limit and not is_out(upstream, i) then
            best, best_score = i, value
        end
    end
    return best, best_score
end

--- Position of the endpoint with the best score for a key, among those that are not out.
---@param key string
---@param upstream table a prepared upstream, see endpoints.lua
---@param subset integer? any of so many best ones
---@return integer? position nil if there is no endpoint
function _M.position(key, upstream, subset)
    local seeds = upstream.seeds or endpoint_seeds(upstream)
    -- Differs from the hash that chose the backend, which the clients of a backend have in common.
    local hash = mix(bxor(crc32(key), 0x5bd1e995))
    local best, best_score = best_below(2, hash, seeds, upstream)
    for _ = 2, subset and math_random(subset) or 1 do
        local next_one, next_score = best_below(best_score, hash, seeds, upstream)
        if not next_one then
            return _M.position(key, upstream, subset - 1)
        end
        best, best_score = next_one, next_score
    end
    return best
end

return _M

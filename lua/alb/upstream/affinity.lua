--- Keeps a client on one backend and one endpoint (session_affinity_policy, affinity cookies).
--
-- Rendezvous hashing: every candidate gets a score from the client's key and its own name, the best
-- one wins. All workers and instances choose alike without talking to each other, a new endpoint
-- takes over only the clients that it wins, and one that goes gives away only its own.
-- May yield: no. Phases: access.
local bit = require("bit")
local endpoint_at = require("alb.upstream.endpoints").at

local ngx = ngx
local var = ngx.var
local crc32 = ngx.crc32_short
local md5 = ngx.md5
local now = ngx.now
local worker_pid = ngx.worker.pid
local band, bxor, lshift, rshift, tobit = bit.band, bit.bxor, bit.lshift, bit.rshift, bit.tobit
local log = math.log
local huge = math.huge
local str_gsub = string.gsub
local str_lower = string.lower

local _M = {}

-- Sessions that this worker has started.
local sessions = 0

-- 32-bit product; a double is exact only up to 53 bits, hence in halves.
local function multiply(a, b)
    local low = band(a, 0xffff) * b
    local high = band(rshift(a, 16) * b, 0xffff)
    return tobit(low + lshift(high, 16))
end

-- MurmurHash3's finalizer: checksums of similar names differ in few bits, scores must not.
local function mix(h)
    h = multiply(bxor(h, rshift(h, 16)), 0x85ebca6b)
    h = multiply(bxor(h, rshift(h, 13)), 0xc2b2ae35)
    return bxor(h, rshift(h, 16))
end

-- Uniform in (0, 1).
local function score(key_hash, seed)
    return (mix(bxor(key_hash, seed)) + 2147483648.5) / 4294967296
end

-- Backends are known by name, so that their order does not matter; one that is listed twice counts
-- twice.
local function seed_backends(wheel)
    local times = {}
    for i = 1, #wheel do
        local name = wheel[i].upstream or ""
        times[name] = (times[name] or 0) + 1
        wheel[i].seed = tobit(mix(crc32(name .. "#" .. times[name])))
    end
end

--- Called once for each decoded route, after weighted.prepare.
function _M.prepare(route)
    local affinity = route.affinity
    if not affinity then
        return
    end
    local kind, name = affinity[1], affinity[2]
    if kind == "clientAddress" then
        affinity.variable = "remote_addr"
    elseif kind == "header" then
        affinity.variable = "http_" .. str_gsub(str_lower(name), "-", "_")
    else
        affinity.variable = "cookie_" .. name
        affinity.cookie = name
    end
    seed_backends(route.wheel)
end

-- Unique, not secret: whoever makes one up chooses an endpoint, which anybody may.
local function new_session()
    sessions = sessions + 1
    return md5(worker_pid() .. "." .. sessions .. "." .. now())
end

local function start_session(cookie)
    local id = new_session()
    local secure = var.albc_scheme == "https" and "; Secure" or ""
    ngx.header["Set-Cookie"] = cookie .. "=" .. id .. "; Path=/; HttpOnly" .. secure
    return id
end

--- What this client is recognised by. One without the cookie is given it.
---@param route table a prepared route with affinity
---@return string? key nil: it shows nothing, so any endpoint will do
function _M.key(route)
    local affinity = route.affinity
    local value = var[affinity.variable]
    if value and value ~= "" then
        return value
    end
    return affinity.cookie and start_session(affinity.cookie) or nil
end

--- The backend of a key among those with a weight: shares are as the weights say, and a changed
-- weight moves only as many clients as it must.
---@param key string
---@param route table
---@return table? backend nil: none has a weight
function _M.backend(key, route)
    local wheel = route.wheel
    if #wheel <= 1 then
        return wheel[1]
    end
    local hash = mix(crc32(key))
    local best, best_score = nil, -huge
    for i = 1, #wheel do
        local backend = wheel[i]
        -- Weighted rendezvous: the exponential variate of rate `weight` that is the smallest wins.
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

--- Position of the endpoint with the best score for a key.
---@param key string
---@param upstream table a prepared upstream, see endpoints.lua
---@return integer? position nil when there is no endpoint
function _M.position(key, upstream)
    local seeds = upstream.seeds or endpoint_seeds(upstream)
    -- Not the hash that chose the backend: that one is the same for all clients of a backend.
    local hash = mix(bxor(crc32(key), 0x5bd1e995))
    local best, best_score = nil, -1
    for i = 1, #seeds do
        local value = score(hash, seeds[i])
        if value > best_score then
            best, best_score = i, value
        end
    end
    return best
end

return _M

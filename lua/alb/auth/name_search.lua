--- The full names that a host name may stand for, in the order of the system's resolver (resolv.conf: search, ndots);
-- nginx's own resolver has no search domains.
-- May yield: no. Phases: any; resolv.conf is read when the module is loaded.
local now = ngx.now
local str_byte = string.byte
local str_gsub = string.gsub
local str_match = string.match
local gmatch = string.gmatch
local tonumber = tonumber

local _M = {}

local DOT = 46
-- Seconds for which the name that was found is tried first, and for how many hosts (clients may choose them).
local REMEMBER = 30
local MAX_REMEMBERED = 1000

local found, found_count = {}, 0

--- Search domains and ndots of a resolv.conf (resolv.conf(5): the last `search` or `domain` counts).
---@param text string
---@return { search: string[], ndots: integer }
function _M.parse(text)
    local settings = { search = {}, ndots = 1 }
    for line in gmatch(text, "[^\r\n]+") do
        local keyword, rest = str_match(line, "^%s*(%a+)%s+(.*)$")
        if keyword == "search" or keyword == "domain" then
            settings.search = {}
            for domain in gmatch(rest, "%S+") do
                settings.search[#settings.search + 1] = str_match(domain, "^(.-)%.?$")
            end
        elseif keyword == "options" then
            settings.ndots = tonumber(str_match(" " .. rest, "%sndots:(%d+)")) or settings.ndots
        end
    end
    return settings
end

-- The run folder's file is for an nginx whose name service differs from its machine's; without it, the machine's is
-- read. It is environment/resolv because nginx would include *.conf.
local function read()
    local file = io.open(ngx.config.prefix() .. "environment/resolv") or io.open("/etc/resolv.conf")
    local text = file and file:read("*a") or ""
    if file then
        file:close()
    end
    return _M.parse(text)
end

local settings = read()

local function append_searched(names, host)
    for i = 1, #settings.search do
        -- "." as a domain is the root.
        local domain = settings.search[i]
        names[#names + 1] = domain ~= "" and host .. "." .. domain or nil
    end
end

--- Names to look up, in order.
---@param host string
---@return string[]
function _M.candidates(host)
    local names = {}
    local known = found[host]
    if known and known.until_time > now() then
        names[1] = known.name
    end
    local _, dots = str_gsub(host, "%.", "")
    if str_byte(host, -1) == DOT then
        names[#names + 1] = host
    elseif dots >= settings.ndots then
        names[#names + 1] = host
        append_searched(names, host)
    else
        append_searched(names, host)
        names[#names + 1] = host
    end
    return names
end

--- Remembers that the host was reached by this name.
function _M.remember(host, name)
    local known = found[host]
    if known and known.until_time > now() then
        return
    end
    if not known then
        if found_count >= MAX_REMEMBERED then
            found, found_count = {}, 0
        end
        found_count = found_count + 1
    end
    found[host] = { name = name, until_time = now() + REMEMBER }
end

return _M

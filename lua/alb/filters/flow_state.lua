--- What the rewrite phase of a snippet leaves for its header steps: the last condition that held, and the slots.
-- In a variable, so it survives internal redirects.
-- May yield: no. Phases: save in access; load in access, header_filter.
local var = ngx.var
local concat = table.concat
local str_find = string.find
local str_sub = string.sub
local tonumber = tonumber

-- No value of a request has it.
local NUL = "\0"

local _M = {}

---@param number integer of the condition; 0: none held
---@param slots table texts by number, from 0
---@param count integer slots in use
function _M.save(number, slots, count)
    local parts = { tostring(number) }
    for slot = 0, count - 1 do
        parts[slot + 2] = slots[slot] or ""
    end
    var.albc_flow = concat(parts, NUL)
end

---@return integer number 0 if no phase ran
---@return table slots
function _M.load()
    local text, slots = var.albc_flow, {}
    local stop = str_find(text, NUL, 1, true)
    local number = tonumber(stop and str_sub(text, 1, stop - 1) or text) or 0
    local slot = 0
    while stop do
        local next_stop = str_find(text, NUL, stop + 1, true)
        slots[slot] = str_sub(text, stop + 1, next_stop and next_stop - 1)
        slot, stop = slot + 1, next_stop
    end
    return number, slots
end

return _M

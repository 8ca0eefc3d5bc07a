--- The filter chain of a route, or of a backend with its own filters: the filters of index.lua whose field is set.
-- May yield: run (forward auth). Phases: prepare in any but init; run in access; respond in header_filter.
local errors = require("alb.errors")
local filters = require("alb.filters.index")

local var = ngx.var
local exit = errors.exit

local _M = {}

--- Prepares the holder's filters, and adds `checked` (it has source ranges or auth, or a backend whose auth reads the
--- body), `filtered` (it has other filters), `requests` and `responses` (the functions to run, in order) and `responds`
--- (responses need work).
---@param holder table a decoded route, or the filters of a backend, with `auths`
function _M.prepare(holder)
    holder.checked = #holder.auths > 0
        or holder.allow ~= nil
        or holder.deny ~= nil
        or holder.backend_reads == true
    local requests, responses = {}, {}
    for i = 1, #filters do
        local filter = filters[i]
        if holder[filter.field] then
            if filter.prepare then
                filter.prepare(holder)
            end
            requests[#requests + 1] = filter.request
            responses[#responses + 1] = filter.response
            holder.filtered = holder.filtered or filter.field ~= "checked"
        end
    end
    holder.requests, holder.responses = requests, responses
    holder.responds = #responses > 0
        or holder.session ~= nil
        or holder.deadlines ~= nil
        or holder.outageErrors ~= nil
end

---@param holder table prepared
---@param server_id string
---@return integer? counted_limit maximum bytes of a body without a declared length
function _M.run(holder, server_id)
    if holder.responds then
        var.albc_after = "1"
    end
    if holder.refuse then
        return exit(holder.refuse[1], holder.refuse[2])
    end
    local requests, counted_limit = holder.requests, nil
    for i = 1, #requests do
        counted_limit = requests[i](holder, server_id) or counted_limit
    end
    return counted_limit
end

---@param holder table prepared
function _M.respond(holder)
    local responses = holder.responses
    for i = 1, #responses do
        responses[i](holder)
    end
end

return _M

--- What a route, or a backend with filters of its own, does to requests and responses: those filters of index.lua that
-- it has.
-- May yield: run does (forward auth). Phases: prepare any but init; run in access; respond in header_filter.
local errors = require("alb.errors")
local filters = require("alb.filters.index")

local var = ngx.var
local exit = errors.exit

local _M = {}

--- Makes ready what the holder has, and adds `checked` (source ranges or auth come first), `filtered` (there is more
--- than those), `requests` and `responses` (what is done to them, in order) and `responds` (the response needs work).
---@param holder table a decoded route, or the filters of a backend, with `auths`
function _M.prepare(holder)
    holder.checked = #holder.auths > 0 or holder.allow ~= nil or holder.deny ~= nil
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
    holder.responds = #responses > 0 or holder.session ~= nil or holder.deadlines ~= nil
end

---@param holder table prepared
---@param server_id string
---@return integer? counted_limit bytes that a body without a length may have
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

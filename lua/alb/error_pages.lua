--- Error pages: replaces errors by pages of a Service, or of the gateway's own files.
--
-- nginx intercepts the errors of backends in locations of their own (templates/partials/page.conf.hbs), so routes
-- without pages never come here. All errors of the gateway pass `errors.exit`, which asks `replace`.
-- May yield: no. Phases: prepare in any but init; replace, plain in access, rewrite; send_file in content.
local endpoints = require("alb.upstream.endpoints")
local errors = require("alb.errors")
local handover = require("alb.upstream.handover")
local has = require("alb.known_locations").has
local index = require("alb.policy.index")
local target = require("alb.upstream.target")
local turns = require("alb.turns")
local watch = require("alb.upstream.watch")

local ngx = ngx
local var = ngx.var
local concat = table.concat
local find = string.find
local floor = math.floor
local match = string.match
local reasons = errors.reasons
local tonumber = tonumber

local _M = {}

-- Milliseconds to connect, send and read: the client has waited already.
local TIMEOUTS = { connect = 2000, send = 5000, read = 5000 }

local function contains(statuses, status)
    for i = 1, statuses and #statuses or 0 do
        if statuses[i] == status then
            return true
        end
    end
    return false
end

-- `404`, `500to599`: names of locations are as short as src/render/nginx/location-views.ts makes them.
local function ranges(statuses)
    local list, start = {}, 1
    for i = 1, #statuses do
        if statuses[i + 1] ~= statuses[i] + 1 then
            local from, to = statuses[start], statuses[i]
            list[#list + 1] = from == to and from or from .. "to" .. to
            start = i + 1
        end
    end
    return concat(list, "_")
end

--- Called once for each decoded route. Adds `pages` if errors of the route may have a page, and `page_suffix`, which
--- names the locations that intercept its statuses.
function _M.prepare(route)
    local own, of_gateway = route.errorPages, index.settings().errorPages
    if not own and not of_gateway then
        return
    end
    local statuses = own and own.statuses or of_gateway and of_gateway.statuses
    route.pages = { statuses = statuses, upstream = own and own.upstream }
    route.page_suffix = statuses and "_page_" .. ranges(statuses)
end

--- Returns the location for a request: the one that intercepts errors, which is marked, or the same for requests whose
--- errors are not replaced. gRPC has errors of its own, and the client of an upgrade shows no page. Without the
--- location (known_locations.lua), errors of backends are passed on.
---@param location string
---@param route table prepared
---@param protocol string of the backend
---@param ending string of the names of both
---@return string
function _M.location(location, route, protocol, ending)
    local suffix = route.page_suffix
    if
        not suffix
        or protocol == "grpc"
        or protocol == "grpcs"
        or var.albc_upgrade ~= ""
        or errors.is_grpc()
        or not has(location .. suffix .. ending)
    then
        return location .. ending
    end
    var.albc_paged = "1"
    return location .. suffix .. ending
end

local function has_endpoint(id)
    local upstream = id and endpoints.upstream(id)
    return upstream and upstream.count > 0
end

-- The file for a status: of this status or its class, in JSON for clients that want that and not HTML.
local function file_for(files, status)
    local accept = var.http_accept or ""
    local wants_json = find(accept, "json", 1, true) and not find(accept, "html", 1, true)
    local kinds = wants_json and { "json", "html" } or { "html", "json" }
    for _, name in ipairs({ tostring(status), floor(status / 100) .. "xx" }) do
        for _, kind in ipairs(kinds) do
            local file = files[name .. "." .. kind]
            if file then
                return file, kind
            end
        end
    end
end

-- What the Service of the page gets to know of the request.
local function describe(route)
    local kind, namespace, name = route.source[1], route.source[2], route.source[3]
    var.albc_page_namespace = namespace
    var.albc_page_ingress = kind == "Ingress" and name or ""
    local backend = route.backends and route.backends[1]
    local service, port = match(backend and backend.upstream or "", "^[^/]*/([^/]*)/([^/]*)")
    var.albc_page_service, var.albc_page_port = service or "", port or ""
end

local function ask(upstream, uri)
    var.albc_pass = "http://albc_http" .. uri
    var.albc_backend = target.encode(upstream, TIMEOUTS)
    -- The client's own, not that of the backend.
    if (var.http_host or "") ~= "" then
        var.albc_host = ""
    end
    var.albc_original_uri = var.request_uri
    return ngx.exec("@error_page")
end

local function is_refusal(reason)
    return find(reason, "^AuthFail") or find(reason, "^AccessFail")
end

-- Prepares the request for another answer: its body is of no use, and a client that waits to send it must not.
local function begin(status, reason)
    watch.stop()
    handover.clear()
    ngx.req.clear_header("Expect")
    ngx.req.discard_body()
    -- A status that nginx remembers would replace that of the page.
    ngx.status = 200
    var.albc_page = status
    -- A page must not make a success of a refusal of access.
    if is_refusal(reason) then
        var.albc_page_kept = "1"
    end
end

-- The upstream that answers; nil for a file.
local function upstream_of(pages, of_gateway)
    if has_endpoint(pages.upstream) then
        return pages.upstream
    end
    return of_gateway and has_endpoint(of_gateway.upstream) and of_gateway.upstream or nil
end

-- As in ingress-nginx, the default backend also gets requests whose own backend has no endpoint.
local function is_instead(pages, reason)
    return reason == reasons.no_peer and has_endpoint(pages.upstream)
end

-- Nil if nginx.conf has no pages. An id is drawn when a request of a client begins.
local function may_be_replaced()
    return var.albc_page == "" and var.albc_id ~= "" and var.albc_upgrade == ""
end

-- Without any page, ingress-nginx asks its own default backend, which answers 404.
local function become_missing(pages, reason)
    if not pages.upstream and not is_refusal(reason) then
        begin(404, reason)
        return ngx.exec("@plain_error")
    end
end

-- Enters the location of the page; returns if there is none.
local function enter(route, pages, status, reason)
    local of_gateway = index.settings().errorPages
    local upstream = upstream_of(pages, of_gateway)
    if upstream and turns.take_page(route and route.questions or 0) then
        begin(status, reason)
        if route then
            describe(route)
        end
        return ask(upstream, is_instead(pages, reason) and var.request_uri or "/")
    end
    if of_gateway and file_for(of_gateway.files or {}, status) then
        begin(status, reason)
        return ngx.exec("@error_file")
    end
    if not of_gateway then
        return become_missing(pages, reason)
    end
end

--- Answers an error by its page. Returns if it has none.
---@param status integer
---@param reason string empty for an answer of the backend
function _M.replace(status, reason)
    if not may_be_replaced() then
        return
    end
    local id = var.albc_route
    local route = id ~= "" and index.route(id) or nil
    local pages = index.settings().errorPages
    if route then
        pages = route.pages
    end
    if pages and (contains(pages.statuses, status) or is_instead(pages, reason)) then
        return enter(route, pages, status, reason)
    end
end

local TYPES = { html = "text/html; charset=utf-8", json = "application/json" }

--- Called by content_by_lua of @error_file.
function _M.send_file()
    local status = tonumber(var.albc_page)
    local of_gateway = index.settings().errorPages
    local file, kind = file_for(of_gateway and of_gateway.files or {}, status)
    if not file then
        return _M.plain()
    end
    ngx.status = status
    ngx.header["Content-Type"], ngx.header["Content-Length"] = TYPES[kind], #file
    ngx.print(file)
end

--- Called by rewrite_by_lua of @plain_error: the page can't be had, so the client gets the error without it.
function _M.plain()
    if var.albc_reason == "" then
        var.albc_reason = reasons.no_page
    end
    return ngx.exit(tonumber(var.albc_page))
end

return _M

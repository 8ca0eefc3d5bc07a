--- The filters, in the order in which they are done. To add one: a module, and a line here.
--
-- field: where its settings are, in a route and in the filters of a backend.
-- prepare(holder), if any: makes the settings of a decoded holder ready: of a route, or of the filters of a backend.
-- request(holder, server_id), if any: done before the backend is asked; may end the request.
-- response(holder), if any: done to the response, whoever made it.
-- May yield: request does (auth). Phases: prepare any but init; request in access; response in header_filter.
local access = require("alb.auth.access")
local headers = require("alb.filters.headers")
local redirect = require("alb.filters.redirect")

return {
    redirect,
    require("alb.filters.body_limit"),
    require("alb.filters.cors"),
    -- Source ranges and auth; `checked` is set where there are any.
    { field = "checked", request = access.check },
    { field = "authFirst", request = redirect.after_auth },
    headers.of_request,
    headers.of_response,
    -- They need the backend that is chosen later: upstream/forward.lua does them.
    require("alb.filters.rewrite"),
    require("alb.filters.mirror"),
}

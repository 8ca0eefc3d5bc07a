--- The filters, in the order in which they run. To add one, write a module and add a line here: below `checked`, unless
-- it is to answer requests that auth would refuse. What is above must not change what auth reads. A holder is a route,
-- or the filters of a backend.
--
-- field: the holder's field with the settings.
-- prepare(holder), optional: prepares the settings of a decoded holder.
-- request(holder, server_id), optional: runs before the request is forwarded; may end it.
-- response(holder), optional: runs on responses of the backend and of the gateway.
-- May yield: request (auth). Phases: prepare in any but init; request in access; response in header_filter.
local access = require("alb.auth.access")
local header_steps = require("alb.filters.header_steps")
local headers = require("alb.filters.headers")
local redirect = require("alb.filters.redirect")

return {
    -- Before what else changes responses: headers of CORS win.
    header_steps.of_response,
    -- Browsers follow no redirect of a preflight, so it is answered first.
    require("alb.filters.cors"),
    redirect,
    -- Before auth, as in ingress-nginx: it costs the most.
    require("alb.filters.rate_limit"),
    require("alb.filters.body_limit"),
    -- Source ranges and auth; chain.lua sets `checked` if there are any.
    { field = "checked", request = access.check },
    { field = "authFirst", request = redirect.after_auth },
    header_steps.of_request,
    headers.of_request,
    headers.of_response,
    -- upstream/forward.lua runs these, because they need the backend, which is chosen later.
    require("alb.filters.rewrite"),
    require("alb.filters.mirror"),
}

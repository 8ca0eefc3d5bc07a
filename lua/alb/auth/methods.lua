--- Auth methods, in the order in which those of one auth policy are checked. To add one: a module, and a line here.
--
-- field: where its settings are in an auth policy.
-- prepare(settings): makes decoded settings ready. Returns true, or nil and what is wrong with them.
-- check(settings, ends?): returns true or a result when the request may pass, else nil and the refusal: { status,
-- reason, challenges?, cookies?, location?, answer? }; `answer(refusal)` ends the request in a way of its own. `ends`:
-- seconds as ngx.now, the request's own deadline.
-- strip(), if any: takes from the backend's request what only the check was to see.
-- apply(settings, result?), if any: gives the backend what the check found; without a result nothing was asked.
-- May yield: check does. Phases: prepare any but init; the others in access.
return {
    require("alb.auth.basic"),
    require("alb.auth.forward"),
    require("alb.auth.external"),
}

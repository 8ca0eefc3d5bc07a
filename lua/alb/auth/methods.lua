--- Auth methods, in the order in which an auth policy's methods are checked. To add one: a module, and a line here.
--
-- field: where its settings are in an auth policy.
-- prepare(settings): makes decoded settings ready. Returns true, or nil and the error.
-- check(settings, ends?): returns true or a result if the request may pass, else nil and the refusal: { status,
-- reason, challenges?, cookies?, location?, answer? }; `answer(refusal)` ends the request in its own way. `ends`:
-- seconds as ngx.now, the request's own deadline.
-- strip(settings, is_last), optional: removes data that only the check may see from the backend's request. `is_last`:
-- no other check of this request follows, which could need them for its variables.
-- apply(settings, result?), optional: passes the result of the check to the backend; nil if nothing was asked.
-- user(result), optional: the user that the check has authenticated, for the access log; called before strip.
-- May yield: check does. Phases: prepare any but init; the others in access.
return {
    require("alb.auth.basic"),
    require("alb.auth.forward"),
    require("alb.auth.external"),
}

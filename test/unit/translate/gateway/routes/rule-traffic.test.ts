import { headersThatAre } from "../../../../../src/model/special-headers.js";
import { translated } from "../../../../support/translated.js";
import { gateway, httpRoute, WEB } from "../../../../support/gateway-route-objects.js";

/** Whether the route is accepted with this session, and else why not. */
function verdict(sessionPersistence: object): unknown {
  const { statuses } = translated(
    gateway() + httpRoute("r", [{ sessionPersistence, backendRefs: WEB }]),
  );
  const { status } = statuses.find(({ kind }) => kind === "HTTPRoute") ?? {};
  const [parent] = status?.["parents"] as {
    conditions: { type: string; reason: string; message: string }[];
  }[];
  const accepted = parent?.conditions.find(({ type }) => type === "Accepted");
  return accepted?.reason === "Accepted" ? "accepted" : [accepted?.reason, accepted?.message];
}

const header = (name: string): object => ({ type: "Header", header: { name } });

test.each(["X-Session", "x_session", "Session1"])(
  "a session may be kept in the header %s",
  (name) => {
    expect(verdict(header(name))).toBe("accepted");
  },
);

/** A token there would end the answer where it does not end, send the client elsewhere, or none would come. */
test.each([
  ...headersThatAre().map((name) => name.replace("*", "Redirect")),
  ...["transfer-encoding", "set_cookie", "x-accel-buffering"],
])("no session is kept in the header %s", (name) => {
  expect(verdict(header(name))).toEqual([
    "UnsupportedValue",
    `spec.rules[0].sessionPersistence: a session must not name the header ${name}, which has a meaning of its own`,
  ]);
});

test.each([
  [{ idleTimeout: "5m", cookie: {} }, /idleTimeout: when a session was last used is not known/],
  [header("Session.1"), /headers named "Session.1" are dropped by nginx/],
  [{ cookie: { path: "/a;b" } }, /"\/a;b" can't be the path of a cookie/],
  [{ sessionName: "a=b", cookie: {} }, /"a=b" is not the name of a cookie/],
])("%j can't be done", (session, message) => {
  expect(verdict(session)).toEqual(["UnsupportedValue", expect.stringMatching(message)]);
});

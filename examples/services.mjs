// The services behind the example gateway, on loopback: two pods of a shop that tell what they were
// asked, and an auth service with a sign-in page. Run by examples/run and by docker-compose.yml; the
// ports are those of the EndpointSlices in examples/manifests.
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";

const SHOP_PORTS = [19001, 19002];
const SSO_PORT = 19003;
const SIGN_IN = "/sso/sign-in";

/** Signed-in users by session id. The first one is known, so that a curl line can use it. */
const sessions = new Map([["example", "alice"]]);

function shop(port) {
  return (request, response) => {
    const answer = {
      pod: `shop:${port}`,
      method: request.method,
      path: request.url,
      headers: request.headers,
    };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(`${JSON.stringify(answer, undefined, 2)}\n`);
  };
}

function sessionOf(request) {
  const cookies = (request.headers.cookie ?? "").split(/;\s*/);
  return cookies.find((pair) => pair.startsWith("session="))?.slice("session=".length);
}

/** Where to go after the sign-in: only back to a host of this example, whoever wrote the link. */
function returnAddress(url) {
  const wanted = url.searchParams.get("rd") ?? "/";
  const target = URL.canParse(wanted) ? new URL(wanted) : undefined;
  return target && /^https?:$/.test(target.protocol) && /(^|\.)localhost$/.test(target.hostname)
    ? target.href
    : "/";
}

/** The decision that the gateway asks for: 200 with the user's name, or 401. */
function check(request, response) {
  const user = sessions.get(sessionOf(request));
  response.writeHead(user ? 200 : 401, user ? { "x-user": user } : {});
  response.end();
}

function signIn(request, response, url) {
  if (request.method === "POST") {
    const session = randomBytes(16).toString("hex");
    sessions.set(session, "alice");
    response.writeHead(303, {
      "set-cookie": `session=${session}; Path=/; HttpOnly; SameSite=Lax`,
      location: returnAddress(url),
    });
    response.end();
    return;
  }
  response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
  response.end(`<!doctype html><title>Sign in</title>
<form method="post"><button>Sign in as alice</button></form>\n`);
}

function sso(request, response) {
  const url = new URL(request.url ?? "/", "http://sso");
  request.resume();
  if (url.pathname === "/check") check(request, response);
  else if (url.pathname === SIGN_IN) signIn(request, response, url);
  else response.writeHead(404).end();
}

function listen(port, handler) {
  const server = createServer(handler);
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
}

try {
  await Promise.all([...SHOP_PORTS.map((port) => listen(port, shop(port))), listen(SSO_PORT, sso)]);
} catch (error) {
  console.error(
    error.code === "EADDRINUSE"
      ? `examples: port ${error.port} is in use; is another \`make run\` at work? End it, or what else has the port`
      : `examples: ${error.message}`,
  );
  process.exit(3);
}
console.log("examples: the services are ready");
// Under examples/run: tells it so, and goes when it goes, however that was.
process.send?.("ready");
process.once("disconnect", () => process.exit(0));

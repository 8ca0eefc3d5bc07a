import { DEFAULT_LOG_FIELDS, LOG_FIELDS } from "../../src/model/log-fields.js";
import { expectGenerated } from "../support/generated-file.js";

const INTRODUCTION = `# Logs

The access log has a line for each request. By default it is JSON in \`logs/access.log\` below the run folder. The log of albc itself,
with the messages of nginx, goes to standard error.

| task | option |
|---|---|
| write the access log to standard output | \`accessLog: stdout\` |
| write no access log | \`accessLog: "off"\` |
| choose the fields | \`accessLogFields: [time, client, method, host, path, status, user]\` |
| keep the log format of ingress-nginx | \`accessLogFormat: upstreaminfo\` |
| use the format that most log readers know | \`accessLogFormat: combined\` |
| see more or fewer messages of nginx | \`nginxLogLevel: error\` |

albc does not rotate the file. Rename it and send nginx's master SIGUSR1, as for any nginx; its pid is in \`nginx.pid\`.

## Secrets

No field holds a header with credentials, a cookie, or the body. The default fields leave out the query of the target, because sign-in
callbacks and signed links put tokens there; \`uri\` and \`query\` have it. \`user\` and the user in the named formats are set only after
authentication succeeded, so a password typed into the name field of a login that fails is not logged.

\`combined\` and \`upstreaminfo\` have the whole request line and the whole Referer header by definition: do not choose them if your
applications pass tokens in queries. The messages of nginx itself (for example about a backend that can't be reached) quote the request
line, too; \`nginxLogLevel: crit\` hides them. There is no level \`debug\`, which would show all headers.

## JSON

Each line is valid JSON in UTF-8. nginx escapes quotes, backslashes and control characters, and leaves bytes from 0x80 on as they are, so
the gateway looks at the texts of clients first. \`host\`, \`path\`, \`query\`, \`uri\`, \`user\` and \`user_agent\` keep every byte: in text that
is not UTF-8, each byte that is not ASCII is logged as \`\\xHH\`: \`/caf\\xE9\` for \`/café\` in Latin-1 (in JSON, \`"/caf\\\\xE9"\`). Other texts
of clients end before the first byte that is not ASCII. nginx keeps no target that it can't decode; such a request gets 400 and an empty
\`uri\`. If a client leaves before its header is complete, texts with such bytes are logged as U+FFFD (\`\uFFFD\`). Lines of streams have
their own fields, in JSON always; there U+FFFD replaces everything from the first to the last byte of a server name that is not ASCII.

The named formats are those of nginx, with bytes as \`\\xHH\`. In \`upstreaminfo\`, the route stands where ingress-nginx has the name of the
upstream, the second pair of brackets is empty, and \`$req_id\` is the request id.

## The authenticated user

With basic auth, it is the user of the login. With an auth service (forward or external auth), it is the first of these headers in the
answer: \`X-Auth-Request-User\` (oauth2-proxy), \`Remote-User\` (Authelia), \`X-Forwarded-User\`, \`X-authentik-username\`, \`X-WEBAUTH-USER\`.
It is logged whether or not the backend gets that header. A client certificate is in \`tls_client\`.

## Fields

This page is generated from \`src/model/log-fields.ts\`. Fields in bold are the default, in this order: ${DEFAULT_LOG_FIELDS.join(", ")}.
Fields are strings, empty if the request has no value, but for numbers. Each field costs time; [benchmarks.md](benchmarks.md) has what
the default costs.

| field | type | what it is |
|---|---|---|
`;

test("docs/logging.md lists every field", () => {
  expectGenerated("docs/logging.md", INTRODUCTION + LOG_FIELDS.map(line).join(""));
});

function line(row: (typeof LOG_FIELDS)[number]): string {
  const name = DEFAULT_LOG_FIELDS.includes(row.name) ? `**\`${row.name}\`**` : `\`${row.name}\``;
  return `| ${name} | ${"number" in row ? "number" : "text"} | ${row.description} |\n`;
}

import { isFinalFailure, nginxFailure, unavailablePorts } from "../../../src/output/nginx-log.js";

const AT = "2026/01/02 03:04:05 [emerg] 7#7: ";

test.each([
  [
    `${AT}bind() to 0.0.0.0:80 failed (98: Address already in use)\n${AT}still could not bind()`,
    "0.0.0.0:80 is in use by another process; end that, or choose another port",
  ],
  [
    "nginx: [emerg] bind() to [::]:443 failed (13: Permission denied)",
    "[::]:443 needs root, CAP_NET_BIND_SERVICE or the sysctl net.ipv4.ip_unprivileged_port_start; ports above 1023 do not (--http-port, --https-port)",
  ],
  [
    `${AT}socket() [::]:80 failed (97: Address family not supported by protocol)`,
    "[::]:80: this machine has no IPv6; switch it off by --ipv6=false",
  ],
  [
    `${AT}bind() to 192.0.2.1:80 failed (99: Cannot assign requested address)`,
    "192.0.2.1:80 is no address of this machine",
  ],
  [
    `2026/01/02 03:04:05 [warn] 7#7: beside the point\n${AT}unknown directive "foo" in /x/nginx.conf:3`,
    'unknown directive "foo" in /x/nginx.conf:3',
  ],
  [
    "2026/01/02 03:04:05 [error] 7#7: init_by_lua error: no policy\nstack traceback:\n\t[C]: in",
    "init_by_lua error: no policy",
  ],
  ["ld.so: libssl.so.3: not found\n", "ld.so: libssl.so.3: not found"],
  ["", "it ended without a word"],
])("%j is said as %j", (said, message) => {
  expect(nginxFailure(said)).toBe(message);
});

test.each([
  [`${AT}still could not bind()`, true],
  [`${AT}unknown directive "foo"`, true],
  [`${AT}bind() to 0.0.0.0:80 failed (98: Address already in use)`, false],
  ["2026/01/02 03:04:05 [error] 7#7: init_by_lua error: no policy", true],
  ["2026/01/02 03:04:05 [error] 7#7: *1 connect() failed", false],
  ["text with [emerg] in it", false],
])("%j ends a reload: %p", (line, final) => {
  expect(isFinalFailure(line)).toBe(final);
});

test("the ports that could not be bound are told, once each", () => {
  const said = [
    "2026/01/02 03:04:05 [emerg] 12#12: bind() to 0.0.0.0:80 failed (98: Address already in use)",
    "2026/01/02 03:04:05 [emerg] 12#12: bind() to [::]:80 failed (98: Address already in use)",
    "nginx: [emerg] bind() to 10.0.0.1:81 failed (99: Cannot assign requested address)",
    "nginx: [emerg] bind() to [fd00::1]:82 failed (13: Permission denied)",
    "nginx: [emerg] bind() to unix:control/control.sock failed (98: Address already in use)",
    "nginx: [emerg] still could not bind()",
  ];
  expect(unavailablePorts(said.join("\n"))).toEqual(["10.0.0.1:81", "80", "[fd00::1]:82"]);
});

import { type Socket, createSocket } from "node:dgram";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import {
  behindOwn,
  isFree,
  isTaken,
  readListens,
  refusedPlaces,
} from "../../../src/output/listens.js";
import { useTempFolder } from "../../support/temp-folder.js";

const folder = useTempFolder();

function conf(...listens: readonly string[]): string {
  const path = join(folder(), "nginx.conf");
  writeFileSync(path, listens.map((each) => `    listen ${each};\n`).join(""));
  return path;
}

/** A port of UDP that somebody has. */
async function takenPort(): Promise<{ readonly socket: Socket; readonly port: number }> {
  const socket = createSocket("udp4");
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return { socket, port: socket.address().port };
}

test("where an nginx.conf listens is told by transport", async () => {
  const path = conf(
    "0.0.0.0:53 so_keepalive=on backlog=4096",
    "[::]:53 ipv6only=on so_keepalive=on",
    "0.0.0.0:53 udp reuseport",
    "10.0.0.1:443 ssl backlog=4096",
    "[fd00::1]:53 udp reuseport",
    "unix:control/control.sock",
  );
  expect(await readListens(path)).toEqual(["53", "53/udp", "10.0.0.1:443", "[fd00::1]:53/udp"]);
  expect(await readListens(join(folder(), "none"))).toEqual([]);
});

test("what nginx could not have is of the transport that it wanted it for", async () => {
  const path = conf("0.0.0.0:80 backlog=1", "0.0.0.0:53 udp reuseport");
  expect(await refusedPlaces(["53", "80", "10.0.0.1:81"], path)).toEqual([
    "53/udp",
    "80",
    "10.0.0.1:81",
  ]);
  expect(await refusedPlaces([], path)).toEqual([]);
});

test("where it wanted a port for both, the one that is taken is meant", async () => {
  const { socket, port } = await takenPort();
  const place = `127.0.0.1:${String(port)}`;
  const path = conf(`${place} backlog=1`, `${place} udp reuseport`);
  expect(await refusedPlaces([place], path)).toEqual([`${place}/udp`]);
  await new Promise<void>((resolve) => socket.close(resolve));
  // By now it may be any of them.
  expect(await refusedPlaces([place], path)).toEqual([place, `${place}/udp`]);
});

test("all that can't be had for the same reason are meant, though nginx names one", async () => {
  const [one, other, own] = [await takenPort(), await takenPort(), await takenPort()];
  const place = ({ port }: { readonly port: number }): string => `127.0.0.1:${String(port)}/udp`;
  const listens = [...[one, other, own].map(place), "203.0.113.1:53/udp", "127.0.0.1:0/udp"];
  const path = conf(...listens.map((each) => each.replace("/udp", " udp reuseport")));
  const refused = await refusedPlaces([`127.0.0.1:${String(one.port)}`], path, [place(own)]);
  expect(refused).toEqual([one, other].map(place));
  for (const { socket } of [one, other, own]) socket.close();
});

test("ports of TCP and UDP are looked at apart", async () => {
  const { socket, port } = await takenPort();
  const place = `127.0.0.1:${String(port)}`;
  expect([await isTaken(`${place}/udp`, []), await isFree(`${place}/udp`, [])]).toEqual([
    true,
    false,
  ]);
  expect(await isTaken(`${String(port)}/udp`, [])).toBe(true);
  expect(await isFree(place, [])).toBe(true);
  await new Promise<void>((resolve) => socket.close(resolve));
  expect(await isFree(`${place}/udp`, [])).toBe(true);
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const tcp = `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  expect([await isFree(tcp, []), await isFree(`${tcp}/udp`, [])]).toEqual([false, true]);
  await new Promise((resolve) => server.close(resolve));
});

test("a socket of nginx itself is no obstacle, another one beside it is", async () => {
  const own = createServer().listen(0, "127.0.0.1");
  await once(own, "listening");
  const { port } = own.address() as AddressInfo;
  const [live, every] = [`127.0.0.1:${String(port)}`, String(port)];
  expect([await isFree(every, []), await isFree(every, [live])]).toEqual([false, true]);
  const other = createServer().listen(port, "127.0.0.2");
  await once(other, "listening");
  expect([await isFree(every, [live]), await isTaken(every, [live])]).toEqual([false, true]);
  await Promise.all([own, other].map((each) => new Promise((resolve) => each.close(resolve))));
});

test.each([
  [["80"], ["10.0.0.1:80"], ["10.0.0.1:80"]],
  [["10.0.0.1:80"], ["80", "81"], ["80"]],
  [["80"], ["80", "10.0.0.1:80"], []],
  [["10.0.0.1:80"], ["10.0.0.2:80"], []],
  [["53/udp"], ["10.0.0.1:53/udp"], []],
])("of %j, changed to %j, a reload has to free %j first", (live, next, blocked) => {
  expect(behindOwn(next, live)).toEqual(blocked);
});

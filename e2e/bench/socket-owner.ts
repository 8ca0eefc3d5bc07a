import { readFile, readdir, readlink } from "node:fs/promises";

/** The one of the processes that has accepted an IPv4 connection, by the ports of both ends. */
export async function ownerOf(
  ends: { readonly local: number; readonly remote: number },
  pids: readonly number[],
): Promise<number> {
  const inode = await inodeOf(ends);
  for (const pid of pids) {
    for (const descriptor of await readdir(`/proc/${pid}/fd`)) {
      // Another one may be closed meanwhile.
      const target = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => "");
      if (target === `socket:[${inode}]`) return pid;
    }
  }
  throw new Error(`none of ${pids.join()} has the connection from port ${ends.remote}`);
}

/** proc_net_tcp(5): sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode. */
async function inodeOf({ local, remote }: { local: number; remote: number }): Promise<string> {
  const table = await readFile("/proc/net/tcp", "utf8");
  const row = table
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .find(([, from = "", to = ""]) => portOf(from) === local && portOf(to) === remote);
  const inode = row?.[9];
  if (inode === undefined) throw new Error(`no connection from port ${remote} to ${local}`);
  return inode;
}

function portOf(end: string): number {
  return parseInt(end.split(":")[1] ?? "", 16);
}

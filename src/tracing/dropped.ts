/** Linux' own count of what a socket has lost. */

/** Datagrams that the kernel dropped because the receiver of this port was slower, from the text of /proc/net/udp (proc(5)). */
export function droppedDatagrams(table: string, port: number): number {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  return table
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = ""]) => local.endsWith(`:${hex}`))
    .reduce((sum, columns) => sum + (Number(columns.at(-1)) || 0), 0);
}

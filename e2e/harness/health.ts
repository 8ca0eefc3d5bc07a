/** What a run says at its health address. */
export class Health {
  readonly port: number;

  constructor(port: number) {
    this.port = port;
  }

  /** Flags of `albc run`. */
  get flags(): readonly string[] {
    return ["--health-address", `127.0.0.1:${String(this.port)}`];
  }

  /** Status and text of an answer, such as `200 ok`; `none` when nobody answers. */
  async ask(path: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
    try {
      const response = await fetch(`http://127.0.0.1:${String(this.port)}${path}`, { headers });
      return `${String(response.status)} ${(await response.text()).trim()}`;
    } catch {
      return "none";
    }
  }

  /** The same by a connection of its own, as a kubelet asks. */
  probe(path: string): Promise<string> {
    return this.ask(path, { connection: "close" });
  }

  /** Values of the metrics by name and labels, as they are written: `albc_leader`, `albc_objects{kind="Ingress"}`. */
  async metrics(): Promise<ReadonlyMap<string, number>> {
    const response = await fetch(`http://127.0.0.1:${String(this.port)}/metrics`);
    const lines = (await response.text()).split("\n").filter((line) => /^[a-z]/.test(line));
    return new Map(
      lines.map((line) => {
        const blank = line.lastIndexOf(" ");
        return [line.slice(0, blank), Number(line.slice(blank + 1))];
      }),
    );
  }
}

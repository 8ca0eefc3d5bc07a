/** What a test file starts, closed again in reverse order, whatever happened in between. */
export interface Closable {
  close(): Promise<void>;
}

export class Scene implements Closable {
  readonly #open: Closable[] = [];

  /** Waits for something to start and takes care of its end. */
  async use<T extends Closable>(starting: Promise<T>): Promise<T> {
    const started = await starting;
    this.#open.push(started);
    return started;
  }

  async close(): Promise<void> {
    const errors: unknown[] = [];
    for (const thing of this.#open.splice(0).reverse()) {
      await thing.close().catch((error: unknown) => errors.push(error));
    }
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1) throw new AggregateError(errors, "several things did not end well");
  }
}

/** Milliseconds; gateways close one after another, each within seconds. */
const CLOSING_TIME = 120_000;

/** A scene for the whole test file. */
export function useScene(): Scene {
  const scene = new Scene();
  afterAll(() => scene.close(), CLOSING_TIME);
  return scene;
}

import type { AuthTranslator } from "./auth/auth-policies.js";
import type { Backends } from "./backends.js";
import type { Certificates } from "./certificates.js";
import type { StreamBuilder } from "./gateway/streams/stream-builder.js";
import type { ConfigBuilder } from "./config-builder.js";
import type { TranslateContext } from "./context.js";

/** What the steps of a translation read, and what they add to. */
export interface BuildContext extends TranslateContext {
  readonly config: ConfigBuilder;
  readonly backends: Backends;
  readonly certificates: Certificates;
  readonly auth: AuthTranslator;
  readonly streams: StreamBuilder;
}

/** What a command line asks for, once it is parsed. */
import type { Effect } from "../diff/effects.js";
import type { ReloadWay } from "../output/reloader.js";

export const REPORT_FORMATS = ["text", "json", "github", "sarif"] as const;
export const FAIL_ON = ["error", "warning"] as const;
export const EMITTABLE = ["resources", "ir", "nginx", "policy", "status"] as const;

export const DIFF_FORMATS = ["text", "json", "markdown"] as const;

export interface Common {
  /** `-f`: files, folders, or `-`. */
  readonly paths: readonly string[];
  /** The objects of a cluster; there are no paths then. */
  readonly kubernetes: boolean;
  /** Options file, if one is named. */
  readonly config: string | undefined;
  /** Given flags of the settings table, by key. */
  readonly flags: Readonly<Record<string, unknown>>;
}

export type CommandCall = Common &
  (
    | {
        readonly command: "render";
        readonly output: string | undefined;
        readonly check: boolean;
        readonly emit: (typeof EMITTABLE)[number] | undefined;
        readonly requireObjects: boolean;
      }
    | {
        readonly command: "validate";
        readonly format: (typeof REPORT_FORMATS)[number];
        /** The least severity that makes the exit status 1. */
        readonly failOn: (typeof FAIL_ON)[number];
        readonly requireObjects: boolean;
        readonly assumeReferences: boolean;
        /** Codes that are not shown. */
        readonly ignore: readonly string[];
        /** Files of known findings: to leave out, and to write. */
        readonly baseline: string | undefined;
        readonly writeBaseline: string | undefined;
      }
    | {
        readonly command: "run";
        readonly dir: string;
        readonly nginx: string | undefined;
        readonly reload: ReloadWay | undefined;
      }
    | {
        readonly command: "explain";
        /** Instead of paths: a policy.json, or the folder of a running nginx that has one. */
        readonly policy: string | undefined;
        readonly running: string | undefined;
        readonly method: string;
        readonly url: string;
        readonly headers: readonly string[];
        readonly client: string;
        readonly format: "text" | "json";
        /** The only thing that decides about the exit status; undefined: errors of the manifests do. */
        readonly expect: number | undefined;
      }
    | {
        readonly command: "status";
        /** That nginx writes to. */
        readonly folder: string;
        readonly watch: boolean;
        readonly format: "text" | "json";
      }
    | {
        readonly command: "diff";
        /** A path, or `REVISION:PATH`. Absent: the cluster, in which `now` is applied. */
        readonly before: string | undefined;
        readonly now: string;
        readonly format: (typeof DIFF_FORMATS)[number];
        /** What makes the exit status 1, beside new errors. */
        readonly failOn: readonly Effect[];
      }
  );

export type CallOf<Name extends CommandCall["command"]> = Extract<
  CommandCall,
  { readonly command: Name }
>;

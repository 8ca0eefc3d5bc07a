/** Parses the command line: commands, arguments and flags. */
import { Command, CommanderError, Option } from "commander";
import { own } from "../support/json-object.js";
import {
  collect,
  collectCode,
  diffFailures,
  expectedStatus,
  format,
  reloadWay,
  requestOf,
  text,
} from "./argument-values.js";
import {
  type CommandCall,
  type Common,
  DIFF_FORMATS,
  EMITTABLE,
  FAIL_ON,
  REPORT_FORMATS,
} from "./command-call.js";
import { HELP_FORMAT } from "./help-format.js";
import { refuseScope, settingOptions, withValues } from "./setting-options.js";
import { SETTINGS } from "./settings-table.js";
import { UsageError } from "./terminal.js";

/** Help or the version has been printed. */
export class HelpShown extends Error {
  override readonly name = "HelpShown";
}

/** Parses the words after `albc`. Throws UsageError, or HelpShown if nothing is left to do. */
export function parseArguments(
  words: readonly string[],
  context: {
    /** What users call this program; `albc` if absent. */
    readonly name?: string;
    readonly version: string;
    readonly write: (text: string) => void;
    /** Width of the terminal; 80 if absent. */
    readonly columns?: number | undefined;
  },
): CommandCall {
  let call: CommandCall | undefined;
  const program = createProgram(context, (found) => {
    call = found;
  });
  if (words.length === 0) throw new UsageError("no command was given; see `albc --help`");
  try {
    program.parse(withValues(words), { from: "user" });
  } catch (error: unknown) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) throw new HelpShown();
    const excess = program.commands.find(({ args }) => args.length > 0)?.args.at(-1) ?? "";
    throw new UsageError(
      error.code === "commander.excessArguments"
        ? `what is ${JSON.stringify(excess)}? Files and folders are named by -f, such as -f ${excess}`
        : error.message.replace(/^error: /, "").replaceAll("\n", " "),
    );
  }
  if (call === undefined) throw new HelpShown();
  return call;
}

function createProgram(
  context: Parameters<typeof parseArguments>[1],
  found: (call: CommandCall) => void,
): Command {
  const program = new Command(context.name ?? "albc")
    .description(
      "Compiles Kubernetes routing resources into a running OpenResty gateway with authentication at the edge.",
    )
    .version(context.version)
    .exitOverride()
    .configureOutput({ writeOut: context.write, writeErr: () => undefined })
    .configureHelp({ ...HELP_FORMAT, helpWidth: context.columns ?? 80 });
  addRender(program, found);
  addValidate(program, found);
  addRun(program, found);
  addExplain(program, found);
  addDiff(program, found);
  addStatus(program, found);
  return program;
}

type Options = Readonly<Record<string, unknown>>;

function addRender(program: Command, found: (call: CommandCall) => void): void {
  withCommon(program.command("render"))
    .description("compile and write nginx.conf, policy.json and the files they name")
    .option("-o, --output <dir>", "folder to write to")
    .option("--check", "compare with the folder instead; exit 1 with a diff when it differs")
    .option("--require-objects", REQUIRE_OBJECTS)
    .addOption(
      new Option("--emit <stage>", "print that stage alone on standard output").choices([
        ...EMITTABLE,
      ]),
    )
    .action((options: Options) => {
      const emit = EMITTABLE.find((stage) => stage === options["emit"]);
      const output = text(options["output"]);
      if (emit === undefined && output === undefined)
        throw new UsageError("render needs -o DIR or --emit STAGE");
      if (options["check"] === true && output === undefined)
        throw new UsageError("--check needs -o DIR");
      found({
        command: "render",
        ...common(options),
        output,
        check: options["check"] === true,
        emit,
        requireObjects: options["requireObjects"] === true,
      });
    });
}

function addValidate(program: Command, found: (call: CommandCall) => void): void {
  withCommon(program.command("validate"))
    .description("report everything that is wrong with the manifests")
    .addOption(formatOption(REPORT_FORMATS))
    .addOption(
      new Option("--fail-on <severity>", "exit 1 for problems of this severity or worse")
        .choices([...FAIL_ON])
        .default("error"),
    )
    .option("--require-objects", REQUIRE_OBJECTS)
    .option(
      "--assume-references",
      "assume that Secrets, ConfigMaps and Services exist that the manifests name and do not contain",
    )
    .addOption(
      new Option("--ignore <code>", "leave out problems with this code; may be repeated")
        .argParser(collectCode)
        .default([], "none"),
    )
    .option("--baseline <file>", "leave out the problems that this file lists")
    .option("--write-baseline <file>", "write such a file with all problems, and exit 0")
    .action((options: Options) => {
      const format = REPORT_FORMATS.find((each) => each === options["format"]) ?? "text";
      const failOn = FAIL_ON.find((each) => each === options["failOn"]) ?? "error";
      found({
        command: "validate",
        ...common(options),
        ...{ format, failOn, requireObjects: options["requireObjects"] === true },
        assumeReferences: options["assumeReferences"] === true,
        ignore: Array.isArray(options["ignore"]) ? options["ignore"].map(String) : [],
        baseline: text(options["baseline"]),
        writeBaseline: text(options["writeBaseline"]),
      });
    });
}

function addRun(program: Command, found: (call: CommandCall) => void): void {
  withCommon(program.command("run"))
    .description("serve manifests, or a cluster, with nginx and follow their changes")
    .option("--dir <dir>", "run folder", ".albc")
    .option("--nginx <bin>", "nginx or openresty to start (variable NGINX_BIN)")
    .option(
      "--reload <how>",
      "reload an nginx that albc does not run: control:FOLDER or command:COMMAND",
    )
    .action((options: Options) => {
      found({
        command: "run",
        ...common(options),
        dir: text(options["dir"]) ?? ".albc",
        nginx: text(options["nginx"]),
        reload: reloadWay(text(options["reload"])),
      });
    });
}

function addExplain(program: Command, found: (call: CommandCall) => void): void {
  withCommon(program.command("explain"))
    .description("say which route a request takes, why, and which auth and filters apply")
    .usage("[options] [METHOD] URL")
    // Optional for commander, so that a missing one gets a better message.
    .argument("[METHOD]", "method of the request; GET if there is none")
    .argument("[URL]", "URL of the request, such as https://a.example/path?x=1")
    .option("--policy <file>", "instead of -f: a policy.json that albc has written")
    .option("--running <dir>", "instead of -f: what the nginx of this folder serves now")
    .option("-H, --header <name: value>", "header of the request; may be repeated", collect, [])
    .option("--client <address>", "address of the client", "127.0.0.1")
    .option(
      "--expect <status>",
      "exit 0 if the gateway's own answer has this status, else 1; 200: a backend answers",
    )
    .addOption(formatOption())
    .action((...[first, second, options]: [string | undefined, string | undefined, Options]) => {
      const [method, url] = requestOf(first, second);
      const headers = Array.isArray(options["header"]) ? options["header"].map(String) : [];
      const client = text(options["client"]) ?? "127.0.0.1";
      found({
        command: "explain",
        ...common(options, "policy", "running"),
        policy: text(options["policy"]),
        running: text(options["running"]),
        method,
        url,
        headers,
        client,
        format: format(options),
        expect: expectedStatus(text(options["expect"])),
      });
    });
}

function addDiff(program: Command, found: (call: CommandCall) => void): void {
  withOptions(program.command("diff"))
    .description("say what a change of manifests does to requests; exit 1 if auth is lost")
    .usage("[options] [OLD] NEW")
    .argument("[OLD]", "manifests before the change: file, folder, - or a git REVISION:PATH")
    .argument("[NEW]", "manifests after the change, in the same way")
    .option("--kubernetes", "instead of OLD: the cluster, to which NEW is applied")
    .addOption(formatOption(DIFF_FORMATS))
    .option(
      "--fail-on <changes>",
      "exit 1 for these: a list of lost, auth-changed, unserved, rerouted",
      "lost",
    )
    .action((...[first, second, options]: [string | undefined, string | undefined, Options]) => {
      const kubernetes = options["kubernetes"] === true;
      const [before, now] = kubernetes ? [undefined, first] : [first, second];
      if (now === undefined || (kubernetes && second !== undefined)) {
        throw new UsageError(
          "diff needs OLD and NEW, such as `albc diff main:deploy deploy`, or --kubernetes and NEW",
        );
      }
      const form = DIFF_FORMATS.find((known) => known === options["format"]) ?? "text";
      const failOn = diffFailures(text(options["failOn"]) ?? "");
      const given = { before, now, kubernetes, format: form, failOn };
      found({ command: "diff", paths: [], ...configured(options), ...given });
    });
}

/** It reads what is there and compiles nothing, so it has no options of the settings table. */
function addStatus(program: Command, found: (call: CommandCall) => void): void {
  program
    .command("status")
    .description("say what a running nginx serves, and what of it is broken; exit 1 if anything is")
    .argument("[DIR]", "the folder that nginx writes to", ".albc")
    .option("--watch", "show it again every 2 seconds")
    .addOption(formatOption())
    .action((folder: string, options: Options) => {
      const common = { paths: [], kubernetes: false, config: undefined, flags: {} };
      const watch = options["watch"] === true;
      found({ command: "status", ...common, folder, watch, format: format(options) });
    });
}

const REQUIRE_OBJECTS = "exit 1 if there is no object that albc reads";
const KUBERNETES = "instead of -f: the cluster of the kubeconfig, or the one that albc runs in";

function withCommon(command: Command): Command {
  const paths = new Option(
    "-f, --filename <path>",
    "file, folder, or - for standard input; may be repeated",
  );
  command.addOption(paths.argParser(collect).default([], "none"));
  return withOptions(command.option("--kubernetes", KUBERNETES));
}

function withOptions(command: Command): Command {
  command.option("--config <file>", "options file in YAML (variable ALBC_CONFIG)");
  for (const option of settingOptions()) command.addOption(option);
  return command;
}

function formatOption(forms: readonly string[] = ["text", "json"]): Option {
  return new Option("--format <form>", "form of the output").choices([...forms]).default("text");
}

/** `others`: names of further options that say what to read. Exactly one is given. */
function common(options: Options, ...others: readonly string[]): Common {
  const paths = pathsOf(options);
  const given = ["kubernetes", ...others].filter((name) => own(options, name) !== undefined);
  const flags = ["-f PATH", ...["kubernetes", ...others].map((name) => `--${name}`)].join(" or ");
  if (paths.length === 0 && given.length === 0) throw new UsageError(`no input: give ${flags}`);
  if (given.length + Number(paths.length > 0) > 1) {
    throw new UsageError(`give only one of ${flags}`);
  }
  return { paths, kubernetes: options["kubernetes"] === true, ...configured(options) };
}

function pathsOf(options: Options): readonly string[] {
  return Array.isArray(options["filename"]) ? options["filename"].map(String) : [];
}

function configured(options: Options): Omit<Common, "paths" | "kubernetes"> {
  if (options["kubernetes"] !== true) refuseScope(options);
  const known = SETTINGS.map((row): [string, unknown] => [row.key, options[row.key]]);
  return {
    config: text(options["config"]),
    flags: Object.fromEntries(known.filter(([, value]) => value !== undefined)),
  };
}

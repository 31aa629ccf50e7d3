/**
 * One command line from its arguments to its exit code.
 *
 * Invariants: stdout has had data only; each failure was printed once, on stderr; nothing here ends the process, so that a
 * test can run a hundred commands in one.
 */
import { nearest } from "@minikafka/record";
import type { Command } from "commander";
import { CHECK, wordsOf } from "./command-words.ts";
import type { About, Context, Perform, Work, World } from "./context.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { CliError, type Failure, failureOf, Interrupted, OutputClosed } from "./failure.ts";
import { hintFor } from "./hints.ts";
import { brokerText } from "./input/arguments.ts";
import { hintElsewhere } from "./other-names.ts";
import { exitCodeOf } from "./outcome.ts";
import { DataSink } from "./output/data-sink.ts";
import { Notes } from "./output/notes.ts";
import { type Ended, parsed, ranAlone } from "./parsed.ts";
import { createProgram } from "./program.ts";
import { type Settings, settingsOf } from "./settings.ts";
import { versionDocument } from "./version.ts";

/** Runs `argv` (without the program's own name) and says how it ended. */
export async function run(argv: readonly string[], world: World): Promise<ExitCode> {
  const data = new DataSink(world.stdout);
  let outcome: ExitCode = EXIT.ok;
  const perform: Perform = async (command, work, about) => {
    outcome = await performed(world, data, { command, work, about });
  };
  const said = { out: "", err: "" };
  const create = (job: Perform) =>
    createProgram(job, {
      writeOut: (text) => {
        said.out += text;
      },
      writeErr: (text) => {
        said.err += text;
      },
      outputError: () => undefined,
    });
  const ended = (await ranAlone(argv, perform)) ? null : await parsed(create(perform), argv);
  if (ended !== null) {
    const misnamed = wantedHelp(ended, argv) ? await misnamedIn(argv, create) : null;
    outcome = await answerOf(misnamed ?? ended, { argv, world, data, said });
  }
  // What fails now has been told, or comes behind another failure.
  await data.flushed().catch(() => undefined);
  return outcome;
}

/** `help nope` ends as a line without a command does, `nope --help` as one that has it. */
function wantedHelp({ error }: Ended, argv: readonly string[]): boolean {
  return (
    error.code === "commander.helpDisplayed" || (error.code === "commander.help" && argv.includes("help"))
  );
}

/** Help was asked for: with a command that does not exist commander shows that of the group, and what was meant is lost. */
async function misnamedIn(
  argv: readonly string[],
  create: (perform: Perform) => Command,
): Promise<Ended | null> {
  const bare = argv.filter((word) => word !== "-h" && word !== "--help" && word !== "help");
  const ended = await parsed(
    create(async () => undefined),
    bare,
  );
  return ended?.error.code === "commander.unknownCommand" ? ended : null;
}

interface Job {
  readonly command: Command;
  readonly work: Work;
  readonly about: About | undefined;
}

/** As the hints want it. */
function subjectOf(about: About | undefined): { readonly topic?: string; readonly group?: string } {
  const { topic, group } = typeof about === "string" ? { topic: about, group: undefined } : (about ?? {});
  return { ...(topic === undefined ? {} : { topic }), ...(group === undefined ? {} : { group }) };
}

interface FailedAt {
  /** Empty where none could be found out. */
  readonly broker: string;
  readonly context: string | null;
  readonly variable?: string;
}

function targetOf(settings: Settings | null): FailedAt {
  try {
    const target = settings?.broker() ?? null;
    return target === null
      ? { broker: "", context: null }
      : { ...target, broker: brokerText(target.address) };
  } catch {
    // That is what failed, or it has nothing to do with a broker.
    return { broker: "", context: null };
  }
}

/** Nobody has typed the address of a context: who is told that it does not answer is told where it came from. */
function ofContext(failure: Failure, { context }: FailedAt): Failure {
  if (context === null || (failure.code !== "CONNECTION" && failure.code !== "TIMEOUT")) return failure;
  const { code, retriable, message, details, hint } = failure;
  const named = {
    code,
    retriable,
    message: `${message} (context ${context})`,
    details: { ...details, context },
  };
  return hint === undefined ? named : { ...named, hint };
}

async function performed(world: World, data: DataSink, job: Job): Promise<ExitCode> {
  let notes = new Notes(world.stderr, { json: false, quiet: false, env: world.env });
  let settings: Settings | null = null;
  try {
    settings = settingsOf(job.command, world.env);
    notes = new Notes(world.stderr, { ...settings, env: world.env });
    const { stdin, interrupted, env } = world;
    const context: Context = { settings, stdin, data, notes, interrupted, env, runAnother: run };
    const outcome = await job.work(context);
    await data.flushed();
    // A work that says how it ended has taken the interruption for its end.
    return outcome ?? (world.interrupted.aborted ? EXIT.interrupted : EXIT.ok);
  } catch (error) {
    // The reader of our output has what it wanted: `… | head -1` is a success.
    if (error instanceof OutputClosed) return EXIT.ok;
    if (error instanceof Interrupted || world.interrupted.aborted) return EXIT.interrupted;
    const target = targetOf(settings);
    const failure = ofContext(failureOf(error), target);
    if (wordsOf(job.command) === CHECK)
      return answerOfPlugin(failure, { data, notes, json: settings?.json ?? false });
    const { broker, context, variable } = target;
    const source = {
      ...(context === null ? {} : { context }),
      ...(variable === undefined ? {} : { variable }),
    };
    const facts = { broker, ...source, ...subjectOf(job.about) };
    notes.failure(failure, hintFor(failure, { ...facts, command: wordsOf(job.command) }));
    return exitCodeOf(failure);
  }
}

/** A monitor reads stdout, and takes the exit code for a plugin's. */
async function answerOfPlugin(
  failure: Failure,
  { data, notes, json }: { readonly data: DataSink; readonly notes: Notes; readonly json: boolean },
): Promise<ExitCode> {
  const { failedAnswer, statusOf, STATUS_EXIT } = await import("./check/plugin-line.ts");
  const { printAnswer } = await import("./check/check.ts");
  const answer = failedAnswer(failure);
  try {
    await printAnswer({ settings: { json }, data }, answer);
    await data.flushed();
  } catch (error) {
    // It cannot read anything, and is told by the exit code alone that nothing is known.
    const unsaid = failureOf(error);
    notes.failure(unsaid, hintFor(unsaid, { broker: "", command: CHECK }));
    return STATUS_EXIT.UNKNOWN;
  }
  return STATUS_EXIT[statusOf(answer)];
}

interface Usage {
  readonly argv: readonly string[];
  readonly world: World;
  readonly data: DataSink;
  /** What commander would have written itself. */
  readonly said: { readonly out: string; readonly err: string };
}

/** Commander ends by throwing: for help and version that were asked for, and for bad usage. */
async function answerOf({ error, command }: Ended, usage: Usage): Promise<ExitCode> {
  const json = usage.argv.includes("-J") || usage.argv.includes("--json");
  const quiet = usage.argv.includes("-q") || usage.argv.includes("--quiet");
  const notes = new Notes(usage.world.stderr, { json, quiet, env: usage.world.env });
  const told = (failure: Failure) =>
    notes.failure(failure, hintFor(failure, { broker: "", command: wordsOf(command) }));
  if (error.exitCode === 0) {
    try {
      if (json && error.code === "commander.version") await usage.data.json(versionDocument());
      else await usage.data.write(usage.said.out);
      await usage.data.flushed();
    } catch (problem) {
      if (problem instanceof OutputClosed) return EXIT.ok;
      const failure = failureOf(problem);
      told(failure);
      return exitCodeOf(failure);
    }
    return EXIT.ok;
  }
  if (error.code === "commander.help" && !json) {
    // No command, or a group without one: what it offers is the best answer.
    notes.text(usage.said.err);
    return EXIT.usage;
  }
  const failure = usageFailure({ error, command }, usage.argv);
  if (wordsOf(command) === CHECK) return answerOfPlugin(failure, { data: usage.data, notes, json });
  told(failure);
  return EXIT.usage;
}

/**
 * A group with a command for when none is named takes any word for that one's argument, and would complain of what nobody has typed.
 * `null` when the line names its command.
 */
function strangerTo({ error, command }: Ended, argv: readonly string[]): Failure | null {
  const group = command.parent;
  const [word] = command.args;
  if (group === null || word === undefined || word.startsWith("-") || command.registeredArguments.length > 0)
    return null;
  if (!OF_ANOTHER.includes(error.code) || argv.includes(command.name())) return null;
  const meant = nearest(
    word,
    group.commands.map((each) => each.name()),
  );
  const hint = meant === null ? {} : { hint: `did you mean ${meant}?` };
  return new CliError("USAGE", `unknown command '${word}'`, hint);
}

const OF_ANOTHER: readonly string[] = ["commander.excessArguments", "commander.unknownOption"];

function usageFailure({ error, command }: Ended, argv: readonly string[]): Failure {
  if (error.code === "commander.help") return new CliError("USAGE", "a command is missing");
  const stranger = strangerTo({ error, command }, argv);
  if (stranger !== null) return stranger;
  const [message = "", suggestion] = error.message.replace(/^error: /, "").split("\n");
  const hint = hintElsewhere(wordsOf(command), message) ?? suggestion?.replace(/^\((.*)\)$/, "$1");
  return new CliError("USAGE", message, hint === undefined ? {} : { hint: hint.replace("Did", "did") });
}

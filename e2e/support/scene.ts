/**
 * The examples of help as they are carried out: scenes of a terminal and a broker, in which each stands as it is printed, behind what
 * it needs. Owns nothing but what a scene starts, which ends with the test.
 */
import { join } from "node:path";
import { expect } from "vitest";
import { startDaemon } from "./daemon.ts";
import { type StatedBroker, startStated } from "./stated-broker.ts";
import { type Typed, TypedShell } from "./typed-shell.ts";

/** A line that is typed, whether help shows it or the scene needs it. */
export interface Take {
  readonly line: string;
  /** Help has it. */
  readonly isShown: boolean;
  /** What has to be found in all that it says. */
  readonly says: RegExp;
  /** Of its last command; 0 unless another one is said. */
  readonly code: number;
  /** Ctrl-C as soon as it has said what this finds: it would go on. */
  readonly until?: RegExp;
  /** Ctrl-C as soon as the broker tells of this: it would take long, and says nothing before its end. Not where that is a process. */
  readonly untilEvent?: string;
  /** Typed in another terminal, again and again until the line has ended: it waits for that. */
  readonly meanwhile?: string;
}

export interface Scene {
  readonly title: string;
  /** How its broker is started, in the words of a page; left out: nobody listens. */
  readonly broker?: string;
  /** The broker is a process, for what ends it. */
  readonly isProcess?: boolean;
  /** Names that stand in the examples, and what is there in their place: made with the scene. */
  readonly places?: () => Promise<{ readonly [name: string]: string }>;
  readonly takes: readonly Take[];
}

type Ending = Partial<Pick<Take, "code" | "until" | "untilEvent" | "meanwhile">>;

const INTERRUPTED = 130;

/** An example of help. */
export function shown(line: string, says: RegExp, ending: Ending = {}): Take {
  return { code: 0, ...ending, line, says, isShown: true };
}

/** One that goes on until Ctrl-C, which is pressed at the first thing that it says of this. */
export function endless(line: string, until: RegExp, ending: Ending = {}): Take {
  return shown(line, until, { code: INTERRUPTED, until, ...ending });
}

/** What the examples behind it need. */
export function needed(line: string): Take {
  return { line, says: /^/, isShown: false, code: 0 };
}

/** Carries a scene out; throws at the first line that ends in another way than it is there to show. */
export async function play({ broker: started, isProcess = false, places, takes }: Scene): Promise<void> {
  const terminals = { own: await TypedShell.open(), other: await TypedShell.open() };
  const known = Object.entries((await places?.()) ?? {});
  const broker = started === undefined ? null : await begun(started, terminals.own.folder, isProcess);
  if (broker !== null)
    for (const each of Object.values(terminals))
      await each.type(`export MINIKAFKA_BROKER=127.0.0.1:${broker.port}`);
  for (const take of takes) {
    const line = known.reduce((text, [name, there]) => text.replaceAll(name, there), take.line);
    let ended = await typed({ ...take, line }, terminals, broker);
    // What another terminal set off may interrupt it before it has begun, which is no way in which it ends.
    for (
      let time = 0;
      time < TRIES && take.meanwhile !== undefined && isInterruptedBefore(ended, take);
      time += 1
    )
      ended = await typed({ ...take, line }, terminals, broker);
    const { status, stdout, stderr, commands } = ended;
    const errors = stderr.match(/^error: .*/gm) ?? [];
    expect({ line, code: status, errors, stderr }).toEqual({ line, code: take.code, errors: [], stderr });
    expect(commands.filter(({ code }) => code !== 0 && code !== take.code)).toEqual([]);
    expect(`${stdout}${stderr}`, line).toMatch(take.says);
  }
}

/** What the other terminal does so often takes longer than a command takes to begin. */
const EVENTS_BEFORE = 3;
/** On a machine whose other terminal is quicker each time. */
const TRIES = 50;

function isInterruptedBefore({ status, stdout, stderr }: Typed, { code }: Take): boolean {
  return status === INTERRUPTED && code !== INTERRUPTED && stdout === "" && stderr === "";
}

async function typed(
  { line, until, untilEvent, meanwhile }: Take,
  { own, other }: { readonly own: TypedShell; readonly other: TypedShell },
  broker: Begun | null,
): Promise<Typed> {
  let isOver = false;
  let left = meanwhile === undefined ? 0 : EVENTS_BEFORE;
  const deaf = broker?.broker?.onEvent(({ kind }) => {
    if (kind === untilEvent && left-- <= 0) own.interrupt();
  });
  const typing = own
    .type(line, { heard: (said) => void (until?.test(said) === true && own.interrupt()) })
    .finally(() => {
      isOver = true;
      deaf?.();
    });
  if (meanwhile !== undefined) while (!isOver) await other.type(meanwhile);
  return typing;
}

type Begun = Pick<StatedBroker, "port"> & Partial<StatedBroker>;

async function begun(line: string, folder: string, isProcess: boolean): Promise<Begun> {
  if (!isProcess) return startStated(line, folder);
  const [, data = "", flags = ""] = /--data (\S+) ?(.*)$/.exec(line) ?? [];
  return startDaemon(join(folder, data), flags.split(" ").filter(Boolean));
}

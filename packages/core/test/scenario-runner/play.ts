/** Plays a scenario: what each of its acts shows now. Where several brokers run, each does the same, side by side. */
import { SeededRandom } from "../../src/env/random.ts";
import { brokerCommandOf } from "./broker-command.ts";
import { given, parseUsage, type Usage, wordsOf } from "./command-line.ts";
import { COMMANDS } from "./commands.ts";
import { type Act, type Part, partsOf, renderParts } from "./scenario-file.ts";
import { type Command, Stage } from "./stage.ts";

const USAGES: readonly (readonly [Usage, Command])[] = Object.entries(COMMANDS).map(([usage, command]) => [
  parseUsage(usage),
  command,
]);

/** The text of the scenario as it would be had it been written now. Throws, with the line, for what cannot be played. */
export async function play(text: string): Promise<string> {
  const parts = partsOf(text);
  const stages = new Map<string, Stage>();
  const shown = new Map<Part, readonly string[]>();
  for (const part of parts) {
    if (part.kind !== "act") continue;
    try {
      shown.set(part, await playAct(part, stages));
    } catch (problem) {
      throw new Error(`line ${part.line}: ${part.prompt} ${part.text}`, { cause: problem });
    }
  }
  return renderParts(parts, shown);
}

async function playAct({ prompt, text }: Act, stages: Map<string, Stage>): Promise<readonly string[]> {
  if (prompt === "$") {
    const { data, config } = brokerCommandOf(text);
    const stage = stages.get(data) ?? new Stage(data);
    stages.set(data, stage);
    return stage.show(() => stage.start(config));
  }
  const running = [...stages].filter(([, { isRunning }]) => isRunning || prompt === "!");
  if (running.length === 0) throw new Error("no broker runs");
  const shows: [string, readonly string[]][] = [];
  for (const [data, stage] of running) shows.push([data, await stage.show(() => actOn(stage, prompt, text))]);
  return sideBySide(shows);
}

async function actOn(stage: Stage, prompt: string, text: string): Promise<void> {
  if (prompt === "!") return befall(stage, text);
  const terminal = prompt.slice(0, -1);
  if (prompt.endsWith("<")) return stage.type(terminal, text);
  const [, first, last, produced] = /^seq (\d+) (\d+) \| (.*)$/.exec(text) ?? [];
  const words = wordsOf(produced ?? text);
  const known = USAGES.filter(([usage]) => usage.words.every((word, index) => words[index] === word));
  const [found] = known.sort(([left], [right]) => right.words.length - left.words.length);
  if (found === undefined) throw new Error("there is no such command");
  const [usage, command] = found;
  await stage.command(
    terminal,
    command,
    given(usage, words.slice(usage.words.length)),
    sequence(first, last),
  );
}

/** The lines that `seq FIRST LAST` pipes into a command, all at once. */
function sequence(first: string | undefined, last: string | undefined): readonly string[] | null {
  if (first === undefined || last === undefined) return null;
  return Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => `${Number(first) + index}`);
}

/** What happens to the machine. */
async function befall(stage: Stage, text: string): Promise<void> {
  const seed = /^power cut, the last write torn \(seed (\d+)\)$/.exec(text)?.[1];
  const loss =
    /^the disk of broker (?<brokerId>\d+) loses the last (?<bytes>\d+) bytes of (?<folder>\S+)$/.exec(
      text,
    )?.groups;
  if (text === "ctrl-c") await stage.stop();
  else if (text === "kill -9") await stage.die({ mode: "kept" });
  else if (text === "power cut") await stage.die({ mode: "lost" });
  else if (seed !== undefined) await stage.die({ mode: "torn", random: new SeededRandom(Number(seed)) });
  else if (loss !== undefined) stage.lose(`broker-${loss.brokerId}/${loss.folder}`, Number(loss.bytes));
  else throw new Error("no such thing befalls a machine");
}

/** What all show alike once; between the first and the last difference each by its name. A table is shown whole. */
function sideBySide(shows: readonly (readonly [string, readonly string[]])[]): readonly string[] {
  const [first = []] = shows.map(([, lines]) => lines);
  const areAlike = (index: (lines: readonly string[]) => number) =>
    shows.every(
      ([, lines]) => lines[index(lines)] !== undefined && lines[index(lines)] === first[index(first)],
    );
  const shortest = Math.min(...shows.map(([, lines]) => lines.length));
  let before = 0;
  while (before < shortest && areAlike(() => before)) before++;
  if (shows.every(([, { length }]) => length === before)) return first;
  if (isHeader(first[before - 1])) before--;
  let behind = 0;
  while (behind < shortest - before && areAlike((lines) => lines.length - 1 - behind)) behind++;
  if (shows.some(([, lines]) => lines.slice(before, lines.length - behind).some(isHeader))) behind = 0;
  const width = Math.max(...shows.map(([name]) => name.length));
  const between = shows.flatMap(([name, lines]) => {
    const own = lines.slice(before, lines.length - behind);
    return (own.length === 0 ? ["nothing"] : own).map((line) => `${name.padEnd(width)} | ${line}`);
  });
  return [...first.slice(0, before), ...between, ...first.slice(first.length - behind)];
}

function isHeader(line: string | undefined): boolean {
  return line !== undefined && /^[A-Z-]+( +[A-Z-]+)+$/.test(line);
}

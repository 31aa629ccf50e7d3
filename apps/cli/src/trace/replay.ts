/** A trace, carried out once more on a fresh broker. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Context } from "../context.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { failureOf, Interrupted } from "../failure.ts";
import { OwnBroker } from "../own-broker/own-broker.ts";
import { type Session, withSession } from "../session.ts";
import { HistoryReader } from "./history-reader.ts";
import { shownEntry } from "./shown-entry.ts";
import { damagedTrace, readTraceFile, type TraceFile } from "./trace-file.ts";

/** The broker loads it as a snapshot, which is the same. */
const NAME = "trace";
const FILE = `${NAME}.ndjson`;
/** It may have long to do. */
const PATIENCE_MS = 10 * 60 * 1000;
const HISTORY_BYTES_MAX = 1024 * 1024 * 1024;

export async function replayTrace(context: Context, path: string, isCheck: boolean): Promise<ExitCode> {
  const trace = await readTraceFile(path);
  const folder = await mkdtemp(join(tmpdir(), "minikafka-replay-"));
  try {
    return await replayIn(folder, trace, context, isCheck);
  } catch (error) {
    throw inTheUsersWords(error, path, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What cannot be carried out is the user's file, of which the broker has a copy under another name. */
function inTheUsersWords(error: unknown, path: string, folder: string): unknown {
  if (error instanceof Interrupted) return error;
  const { code, message } = failureOf(error);
  if (code !== "STORAGE_ERROR") return error;
  const said = message
    .replace("nothing is changed; ", "")
    .replaceAll(join(folder, "data", "snapshots", FILE), path);
  return damagedTrace(said.includes(path) ? said : `${path} cannot be carried out: ${said}`);
}

async function replayIn(
  folder: string,
  { head, text, isUnfinished }: TraceFile,
  context: Context,
  isCheck: boolean,
): Promise<ExitCode> {
  const { start_time_ms: startTime, seed } = head;
  const settings = { ...head.settings, start_time: startTime, seed, history_max_bytes: HISTORY_BYTES_MAX };
  const config = join(folder, "config.json");
  const dataFolder = join(folder, "data");
  await mkdir(join(dataFolder, "snapshots"), { recursive: true });
  await writeFile(join(dataFolder, "snapshots", FILE), text);
  await writeFile(config, JSON.stringify(settings));
  const { env, interrupted: signal } = context;
  const broker = await OwnBroker.start({ dataFolder, flags: ["--config", config], env, signal });
  let code: ExitCode = EXIT.ok;
  try {
    const target = { address: broker.address, context: null };
    const own = { ...context, settings: { ...context.settings, broker: () => target } };
    const work = async (session: Session): Promise<undefined> => {
      code = await replayed(own, session, isCheck);
    };
    await withSession(own, work, PATIENCE_MS);
    if (isUnfinished)
      context.notes.remark("the file is unfinished: what came behind its last line is not known");
    return code;
  } finally {
    await broker.kill();
  }
}

async function replayed(context: Context, session: Session, isCheck: boolean): Promise<ExitCode> {
  const { entries, difference } = await session.call("load_snapshot", {
    name: NAME,
    accept_difference: true,
  });
  if (!isCheck) await printHistory(context, session);
  const { json } = context.settings;
  if (isCheck && json) await context.data.json({ entries, difference });
  if (difference === null) {
    if (isCheck && !json) await context.data.line(`${entries} entries, and each is as it was`);
    return EXIT.ok;
  }
  const { entry, saved, replayed: now } = difference;
  const said = [
    saved === null
      ? `behind its ${entries} entries comes another one:`
      : `entry ${entry + 1} of ${entries} is another one:`,
    `  was ${saved ?? "-"}`,
    `  is  ${now ?? "-"}`,
  ];
  if (isCheck && !json) for (const line of said) await context.data.line(line);
  else for (const line of said) context.notes.remark(line);
  return isCheck ? EXIT.damaged : EXIT.ok;
}

async function printHistory(context: Context, session: Session): Promise<void> {
  const reader = new HistoryReader(session);
  for (let hasMore = true; hasMore; ) {
    const news = await reader.read();
    for (const line of news.lines) await printEntry(context, line);
    ({ hasMore } = news);
  }
}

export async function printEntry(context: Context, line: string): Promise<void> {
  if (context.settings.json) {
    await context.data.write(`${line}\n`);
    return;
  }
  const shown = shownEntry(line);
  if (shown !== null) await context.data.line(shown);
}

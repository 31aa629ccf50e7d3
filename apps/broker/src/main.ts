/** `minikafka-broker`: flags in, one line out when clients can produce, and a clean end on SIGTERM or SIGINT. */
import { resolve } from "node:path";
import { BrokerError } from "@minikafka/core";
import type { CommanderError } from "commander";
import { tuneCollector } from "./collector.ts";
import { program, sourcesOf } from "./command-line.ts";
import { resolveSettings } from "./config.ts";
import { startBroker } from "./daemon.ts";
import { openLog } from "./logging.ts";
import { requireDescriptors } from "./open-files.ts";
import { EXIT, refusalOf } from "./refusals.ts";

/**
 * Resolves at the first signal to stop, whenever it comes; further ones do no harm. Whoever has started us over a channel of Node's (a
 * `fork`, or "ipc" of a `spawn`) and is gone, whatever ended it, needs us no more.
 */
function askedToStop(): Promise<void> {
  return new Promise((stop) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => stop());
    process.on("disconnect", () => stop());
  });
}

/** As by the signal that nobody can catch, and before the next statement: nothing is flushed, closed or told. */
function die(): void {
  if (process.platform === "win32") process.exit(EXIT_KILLED);
  process.kill(process.pid, "SIGKILL");
}

/** What a shell says of a process that SIGKILL has ended. */
const EXIT_KILLED = 137;

/** Help and version that cannot be printed were not read. Whoever has only stopped reading knows. */
function endUnprinted({ code, message }: NodeJS.ErrnoException): void {
  if (code === "EPIPE") process.exit(EXIT.ok);
  process.stderr.write(`error: what was to be printed could not be: ${message}\n`);
  process.stderr.write("hint: is the disk full, or stdout not open?\n");
  process.exit(EXIT.unexpected);
}

async function main(): Promise<void> {
  tuneCollector();
  process.stdout.on("error", endUnprinted);
  const command = program().exitOverride();
  command.parse();
  const settings = resolveSettings(sourcesOf(command, process.env));
  requireDescriptors();
  const log = await openLog(settings.log_level);
  // Never half alive: what nobody foresaw ends the process, and the next start recovers what was acknowledged.
  const fail = (err: unknown) => {
    log.fatal({ err }, "stopping at once");
    process.exit(EXIT.unexpected);
  };
  process.on("uncaughtException", fail);
  process.on("unhandledRejection", fail);
  // Whoever started us may have stopped listening to us.
  process.stdout.off("error", endUnprinted).on("error", () => undefined);
  const stop = askedToStop();
  const broker = await startBroker({ settings, log, onBroken: fail, onCrash: die });
  const { host, port } = broker.address ?? { host: settings.host, port: settings.port };
  const drawn = broker.seed === null ? {} : { seed: broker.seed };
  const kafka = broker.kafkaAddresses.map(({ brokerId, ...address }) => ({
    broker_id: brokerId,
    ...address,
  }));
  const named = {
    ...(kafka.length > 0 && { kafka }),
    ...(broker.httpAddress !== null && { http: broker.httpAddress }),
  };
  const ready = {
    msg: "ready",
    host,
    port,
    pid: process.pid,
    data: resolve(settings.data),
    ...drawn,
    ...named,
  };
  process.stdout.write(`${JSON.stringify(ready)}\n`);
  await stop;
  await broker.close().catch((error: unknown) => {
    if (!(error instanceof BrokerError)) fail(error);
    const { code, message } = error as BrokerError;
    log.error(
      { code },
      `stopped, but something could not be written, and the next start has to look: ${message}`,
    );
    process.exit(EXIT.unexpected);
  });
  process.exit(EXIT.ok);
}

main().catch((error: unknown) => {
  // commander has printed its own sentence; help and version are no errors.
  const { code, exitCode } = error as CommanderError;
  if (typeof code === "string" && code.startsWith("commander."))
    process.exit(exitCode === 0 ? EXIT.ok : EXIT.usage);
  const refusal = refusalOf(error);
  if (refusal === null) throw error;
  process.stderr.write(`error: ${refusal.sentence}\nhint: ${refusal.hint}\n`);
  process.exit(refusal.exitCode);
});

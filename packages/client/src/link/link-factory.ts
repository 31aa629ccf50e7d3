/** Where links come from: a TCP socket, or whatever Duplex a caller hands out (an in-process pair, a test's peer). */
import { connect, type Socket, type TcpNetConnectOpts } from "node:net";
import type { Duplex } from "node:stream";
import type { ClientClock } from "../clock.ts";
import { MiniKafkaError } from "../errors.ts";
import { LIMITS } from "../limits.ts";

/** Makes one link, ready to be written to. `signal` aborts when nobody wants it any more. */
export type LinkFactory = (signal: AbortSignal) => Duplex | Promise<Duplex>;

export interface TcpAddress {
  readonly host: string;
  readonly port: number;
}

export function tcpLink(address: TcpAddress): LinkFactory {
  return (signal) => opened(connect(optionsFor(address)), signal);
}

/**
 * A link for whoever listens to "data" alone and is done with a chunk when the listener returns: each chunk lies where the
 * last one lay. Otherwise every read takes 64 KiB of fresh memory, for which the collector comes sooner.
 */
export function tcpLinkOfPassingChunks(address: TcpAddress): LinkFactory {
  return (signal) => {
    const callback = (chunkBytes: number, buffer: Uint8Array): boolean =>
      socket.emit("data", (buffer as Buffer).subarray(0, chunkBytes));
    const onread = { buffer: Buffer.allocUnsafeSlow(LIMITS.readBytes), callback };
    const socket = connect({ ...optionsFor(address), onread });
    return opened(socket, signal);
  };
}

function optionsFor(address: TcpAddress): TcpNetConnectOpts {
  return { ...address, noDelay: true, keepAlive: true, keepAliveInitialDelay: LIMITS.keepAliveMs };
}

function opened(socket: Socket, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    let problem: Error = new Error("the connection was closed at once");
    const giveUp = () => socket.destroy(new Error("given up"));
    const failed = (error: Error) => {
      problem = error;
    };
    // Not at the error but when it is closed: whoever is told of the failure finds no socket left of it.
    const closed = () => {
      signal.removeEventListener("abort", giveUp);
      reject(problem);
    };
    signal.addEventListener("abort", giveUp);
    socket.once("error", failed);
    socket.once("close", closed);
    socket.once("connect", () => {
      signal.removeEventListener("abort", giveUp);
      socket.off("error", failed);
      socket.off("close", closed);
      resolve(socket);
    });
  });
}

export interface OpeningOptions {
  readonly peer: string;
  readonly clock: ClientClock;
  readonly timeoutMs: number;
  /** Ends the attempt; its reason is what the opening then fails with. */
  readonly signal: AbortSignal;
}

/**
 * One attempt at a link. Fails with CONNECTION, or with the reason of `signal`. A link that comes too late is destroyed, so
 * that a factory which knows nothing of signals leaves none behind.
 */
export async function openLink(factory: LinkFactory, options: OpeningOptions): Promise<Duplex> {
  const { peer, clock, timeoutMs, signal } = options;
  signal.throwIfAborted();
  const giveUp = new AbortController();
  const gaveUp = new Promise<never>((_, reject) => {
    giveUp.signal.addEventListener("abort", () => reject(giveUp.signal.reason));
  });
  const stop = () => giveUp.abort(signal.reason);
  signal.addEventListener("abort", stop);
  const cancel = clock.after(timeoutMs, () =>
    giveUp.abort(new Error(`no connection within ${timeoutMs} ms`)),
  );
  const made = (async () => factory(giveUp.signal))();
  try {
    return await Promise.race([made, gaveUp]);
  } catch (error) {
    made.then(
      (late) => late.on("error", () => {}).destroy(),
      () => {},
    );
    if (signal.aborted) throw signal.reason;
    const why = error instanceof Error ? error.message : String(error);
    throw new MiniKafkaError("CONNECTION", `cannot connect to ${peer}: ${why}`, {
      details: { peer, sent: false },
      cause: error,
    });
  } finally {
    cancel();
    signal.removeEventListener("abort", stop);
  }
}

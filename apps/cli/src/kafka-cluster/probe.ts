/**
 * What listens at a port, found out by Kafka's first question (ApiVersions) before the client of Kafka goes there: that one would wait
 * for the end of an answer that is none.
 */
import { connect, type Socket } from "node:net";
import { systemClock } from "@minikafka/client";
import type { BrokerAddress } from "../input/arguments.ts";

export type Listener =
  | "kafka"
  /** An HTTP server. */
  | "http"
  /** The port for lines of JSON of a broker of ours. */
  | "json"
  /** TLS is spoken there. */
  | "tls"
  /** It ended the connection without a word. */
  | "closes"
  /** It says nothing. */
  | "silent"
  /** It says what nobody knows. */
  | "other";

const CORRELATION_ID = 0x4d4b;
const CLIENT_ID = "minikafka-cli";
/** The size, and the correlation id that the answer repeats. */
const HEAD_BYTES = 8;
const ANSWER_BYTES_MAX = 1024 * 1024;

/** ApiVersions 0, which every Kafka since 0.10 answers, whatever it wants to be told before anything else. */
function question(): Buffer {
  const bytes = Buffer.alloc(14 + CLIENT_ID.length);
  bytes.writeInt32BE(bytes.length - 4, 0);
  bytes.writeInt16BE(18, 4);
  bytes.writeInt16BE(0, 6);
  bytes.writeInt32BE(CORRELATION_ID, 8);
  bytes.writeInt16BE(CLIENT_ID.length, 12);
  bytes.write(CLIENT_ID, 14);
  return bytes;
}

/** By the first bytes of an answer. */
export function listenerBy(head: Buffer): Listener {
  if (head.length === 0) return "closes";
  const text = head.toString("latin1");
  if (text.startsWith("HTTP") || /^<(?:!|html)/i.test(text)) return "http";
  if (text.startsWith("{")) return "json";
  // An alert or a handshake of TLS, which takes the question for a broken hello.
  if ((head[0] === 0x15 || head[0] === 0x16) && head[1] === 0x03) return "tls";
  if (head.length < HEAD_BYTES) return "other";
  const isAnswer = head.readInt32BE(0) <= ANSWER_BYTES_MAX && head.readInt32BE(4) === CORRELATION_ID;
  return isAnswer ? "kafka" : "other";
}

/** What a broker of ours answers on its port for lines; on it, it ends a connection that begins as one of Kafka's. */
const PING = Buffer.from('{"operation":"ping"}\n');

/** Rejects with the system's error where nobody listens. The wait is at most `timeoutMs`, for the connection and for the answer. */
export async function probe(address: BrokerAddress, timeoutMs: number): Promise<Listener> {
  // The newline ends the line that a port for lines waits for; Kafka takes it for the first byte of a next size.
  const found = await answerTo(Buffer.concat([question(), Buffer.from("\n")]), address, timeoutMs);
  if (found !== "closes") return found;
  const second = await answerTo(PING, address, timeoutMs).catch(() => found);
  return second === "json" || second === "http" ? second : found;
}

async function answerTo(bytes: Buffer, { host, port }: BrokerAddress, timeoutMs: number): Promise<Listener> {
  const socket = connect({ host, port });
  const cancel = systemClock.after(timeoutMs, () => socket.destroy());
  try {
    return await heard(socket, bytes);
  } finally {
    cancel();
    socket.destroy();
  }
}

function heard(socket: Socket, bytes: Buffer): Promise<Listener> {
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0);
    let hasEnded = false;
    socket.on("connect", () => socket.write(bytes));
    socket.on("data", (chunk: Buffer) => {
      head = Buffer.concat([head, chunk]);
      if (head.length >= HEAD_BYTES) resolve(listenerBy(head));
    });
    socket.on("end", () => {
      hasEnded = true;
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNRESET") resolve(listenerBy(head));
      else reject(error);
    });
    socket.on("close", () => resolve(hasEnded || head.length > 0 ? listenerBy(head) : "silent"));
  });
}

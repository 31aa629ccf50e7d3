/** Lines of JSON on a connection. */
import { FrameTooLarge, LineFramer } from "@minikafka/protocol";
import type { Frames, Speech } from "../connections/speech.ts";
import { failure } from "./answer-line.ts";
import type { Dispatcher } from "./dispatch.ts";

const NEWLINE = 0x0a;

/** The size of a frame, which is below 16 MiB, and the key and the version of an API, of which there are few. */
const KAFKAS_START_BYTES = 8;
const [API_KEYS, API_VERSIONS] = [100, 32];

/** A client of Kafka's that has come to the wrong port: it would wait for an answer, and its line never ends. */
class KafkasClient extends Error {
  override readonly name = "KafkasClient";

  constructor() {
    super("it begins as a request of Kafka's does, whose clients have ports of their own (--kafka-port)");
  }
}

class Lines extends LineFramer implements Frames {
  #isBegun = false;
  #isKafkas = false;

  override get isReady(): boolean {
    return this.#isKafkas || super.isReady;
  }

  override push(chunk: Buffer): void {
    if (!this.#isBegun) this.#isKafkas = isKafkas(chunk);
    this.#isBegun = true;
    super.push(chunk);
  }

  override next(): Buffer | null {
    if (this.#isKafkas) throw new KafkasClient();
    return super.next();
  }

  endsIn(chunk: Buffer): number {
    if (!this.#isBegun && isKafkas(chunk)) return 1;
    let lines = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) lines += 1;
    return lines;
  }
}

/** No line of JSON begins with a zero. */
function isKafkas(chunk: Buffer): boolean {
  if (chunk.length < KAFKAS_START_BYTES || chunk[0] !== 0) return false;
  return chunk.readUInt16BE(4) < API_KEYS && chunk.readUInt16BE(6) < API_VERSIONS;
}

export function jsonSpeech(dispatcher: Pick<Dispatcher, "dispatch">, frameBytesMax: number): Speech {
  return {
    frameBytesMax,
    newFrames: () => new Lines(frameBytesMax),
    dispatch: (line, client) => dispatcher.dispatch(line, client),
    refusalOf: (error) => {
      if (error instanceof KafkasClient) return { request: null, reason: error.message, answer: null };
      if (!(error instanceof FrameTooLarge)) return null;
      const { message } = error;
      const answer = failure(undefined, "FRAME_TOO_LARGE", `${message}; the connection closes`);
      return { request: null, reason: message, answer };
    },
  };
}

/** Lines of JSON on a connection. */
import { FrameTooLarge, LineFramer } from "@minikafka/protocol";
import type { Frames, Speech } from "../connections/speech.ts";
import { failure } from "./answer-line.ts";
import type { Dispatcher } from "./dispatch.ts";

const NEWLINE = 0x0a;

class Lines extends LineFramer implements Frames {
  endsIn(chunk: Buffer): number {
    let lines = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) lines += 1;
    return lines;
  }
}

export function jsonSpeech(dispatcher: Pick<Dispatcher, "dispatch">, frameBytesMax: number): Speech {
  return {
    frameBytesMax,
    newFrames: () => new Lines(frameBytesMax),
    dispatch: (line, client) => dispatcher.dispatch(line, client),
    refusalOf: (error) => {
      if (!(error instanceof FrameTooLarge)) return null;
      const { message } = error;
      const answer = failure(undefined, "FRAME_TOO_LARGE", `${message}; the connection closes`);
      return { reason: message, answer };
    },
  };
}

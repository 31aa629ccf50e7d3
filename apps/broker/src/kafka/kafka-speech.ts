/** Kafka's frames on a connection. */
import { FrameRefused, FrameSplitter } from "@minikafka/protocol/kafka";
import type { Frames, Speech } from "../connections/speech.ts";
import { FrameCounter } from "./frame-counter.ts";
import type { KafkaDispatcher } from "./kafka-dispatch.ts";
import type { KafkaPeer } from "./peer.ts";

class KafkaFrames extends FrameSplitter implements Frames {
  readonly #counter: FrameCounter;

  constructor(frameBytesMax: number) {
    super(frameBytesMax);
    this.#counter = new FrameCounter(frameBytesMax);
  }

  endsIn(chunk: Buffer): number {
    return this.#counter.endsIn(chunk);
  }
}

/** As it is spoken with `peer`. */
export function kafkaSpeech(
  dispatcher: Pick<KafkaDispatcher, "dispatch">,
  { peer, frameBytesMax }: { readonly peer: KafkaPeer; readonly frameBytesMax: number },
): Speech {
  return {
    frameBytesMax,
    newFrames: () => new KafkaFrames(frameBytesMax),
    dispatch: (frame, client) => dispatcher.dispatch(frame, client, peer),
    // The protocol has no answer without a request: Kafka closes as well.
    refusalOf: (error) => (error instanceof FrameRefused ? { reason: error.message, answer: null } : null),
  };
}

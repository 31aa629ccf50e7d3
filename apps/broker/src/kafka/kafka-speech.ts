/** Kafka's frames on a connection. */
import { FrameRefused, FrameSplitter } from "@minikafka/protocol/kafka";
import type { Address } from "../connections/port.ts";
import type { Frames, Speech, Unreadable } from "../connections/speech.ts";
import { failure } from "../json/answer-line.ts";
import { FrameCounter } from "./frame-counter.ts";
import type { KafkaDispatcher } from "./kafka-dispatch.ts";
import type { KafkaPeer } from "./peer.ts";
import { isJson, notKafkas, startOf } from "./unreadable.ts";

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

export interface Spoken {
  readonly peer: KafkaPeer;
  readonly frameBytesMax: number;
  /** Where lines of JSON are taken, for who sends them here; `null`: nowhere. */
  readonly jsonAddress: Address | null;
}

/** As it is spoken with `peer`. */
export function kafkaSpeech(dispatcher: Pick<KafkaDispatcher, "dispatch">, spoken: Spoken): Speech {
  const { peer, frameBytesMax } = spoken;
  return {
    frameBytesMax,
    newFrames: () => new KafkaFrames(frameBytesMax),
    dispatch: (frame, client) => dispatcher.dispatch(frame, client, peer),
    refusalOf: (error) => (error instanceof FrameRefused ? unreadable(error, spoken) : null),
  };
}

function unreadable(error: FrameRefused, { peer: { brokerId }, jsonAddress }: Spoken): Unreadable {
  const refusal = { request: null, brokerId, reason: notKafkas(error) };
  // The protocol has no answer without a request: Kafka closes as well.
  if (!isJson(startOf(error.frameBytes))) return { ...refusal, answer: null };
  const taken = jsonAddress === null ? null : `${jsonAddress.host}:${jsonAddress.port}`;
  const where = taken === null ? "nowhere here" : `at ${taken}`;
  const message = `this port of broker ${brokerId} is for Kafka's clients; lines of JSON are taken ${where}`;
  return { ...refusal, answer: failure(undefined, "INVALID_REQUEST", message, { json_address: taken }) };
}

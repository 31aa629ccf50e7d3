/** How one instance of a producer follows the one before it (KIP-98, KIP-360). Decisions only. */
import { PRODUCER_EPOCH_MAX } from "@minikafka/record";
import { nextEpoch, type ProducerIdentity } from "../replica/producer-identity.ts";
import type { NamedProducer } from "./producer-ids-file.ts";

interface NextInstance {
  readonly name: string;
  readonly known: NamedProducer | undefined;
  /** To be used when the producer needs a new one. */
  readonly producerId: number;
  readonly bumpedFrom: ProducerIdentity | null;
}

export function nextInstance({ name, known, producerId, bumpedFrom }: NextInstance): NamedProducer {
  if (known === undefined) return { name, producerId, producerEpoch: 0, bumpedFrom: null, retiredIds: [] };
  const { retiredIds } = known;
  if (known.producerEpoch < PRODUCER_EPOCH_MAX) return { name, ...nextEpoch(known), bumpedFrom, retiredIds };
  return { name, producerId, producerEpoch: 0, bumpedFrom, retiredIds: [...retiredIds, known.producerId] };
}

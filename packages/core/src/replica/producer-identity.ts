/** An instance of a producer: an id, and an epoch that tells its instances, and its transactions, apart (KIP-98, KIP-890). */

export interface ProducerIdentity {
  readonly producerId: number;
  readonly producerEpoch: number;
}

export function identityOf({ producerId, producerEpoch }: ProducerIdentity): ProducerIdentity {
  return { producerId, producerEpoch };
}

export function isSame(one: ProducerIdentity, other: ProducerIdentity): boolean {
  return one.producerId === other.producerId && one.producerEpoch === other.producerEpoch;
}

/** Whether `one` was given before `other`, where both are of one transactional id: producer ids rise, and epochs within one. */
export function isOlder(one: ProducerIdentity, other: ProducerIdentity): boolean {
  if (one.producerId !== other.producerId) return one.producerId < other.producerId;
  return one.producerEpoch < other.producerEpoch;
}

/** The one that follows, of the same id: the caller knows that there is one. */
export function nextEpoch({ producerId, producerEpoch }: ProducerIdentity): ProducerIdentity {
  return { producerId, producerEpoch: producerEpoch + 1 };
}

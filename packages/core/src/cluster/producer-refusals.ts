/** What a producer is told that is not, or not any more, who it says. */
import { BrokerError } from "../errors.ts";
import { quoted } from "../quoted.ts";
import type { ProducerIdentity } from "../replica/producer-identity.ts";
import type { NamedProducer } from "./producer-ids-file.ts";

export function overtaken(name: string, current: ProducerIdentity, known: NamedProducer): BrokerError {
  const seen = `producer id ${current.producerId} of epoch ${current.producerEpoch}`;
  return new BrokerError(
    "PRODUCER_FENCED",
    `${seen} is not the newest instance of ${quoted(name)}; that has id ${known.producerId} and epoch ${known.producerEpoch}`,
    {
      producer_id: current.producerId,
      producer_epoch: current.producerEpoch,
      current_epoch: known.producerEpoch,
    },
  );
}

export function retired({ producerId, producerEpoch }: ProducerIdentity, named: NamedProducer): BrokerError {
  return new BrokerError(
    "PRODUCER_FENCED",
    `producer id ${producerId} has used up its epochs; ${quoted(named.name)} has id ${named.producerId} now`,
    { producer_id: producerId, producer_epoch: producerEpoch, current_epoch: named.producerEpoch },
  );
}

export function neverGiven({ producerId, producerEpoch }: ProducerIdentity): BrokerError {
  return new BrokerError(
    "UNKNOWN_PRODUCER_ID",
    `producer id ${producerId} of epoch ${producerEpoch} was given to nobody; expected those that a producer was given when it started`,
    { producer_id: producerId, producer_epoch: producerEpoch },
  );
}

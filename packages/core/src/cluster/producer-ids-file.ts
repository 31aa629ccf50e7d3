/**
 * `producer-ids.json`: which producer ids were given away, and to which names.
 *
 * Owns: the file and the shape of its payload.
 * Invariants: it is there from the moment at which the data folder becomes ours, so that a missing one is damage and never
 * the beginning of a new count; no id stands in it twice; every id in it is below `next_producer_id`.
 */
import { posix } from "node:path";
import { PRODUCER_EPOCH_MAX } from "@minikafka/record";
import { characterCount } from "../character-count.ts";
import type { Env } from "../env/env.ts";
import { LIMITS } from "../limits.ts";
import { CheckpointFile } from "../log/files/checkpoint-file.ts";
import { fieldsOf, integerOf, listOf, mismatch, offsetOf, textOf } from "../log/files/parsed-json.ts";
import { quoted } from "../quoted.ts";
import type { ProducerIdentity } from "../replica/producer-identity.ts";

export const PRODUCER_IDS_FILE_NAME = "producer-ids.json";
const VERSION = 1;
export interface NamedProducer extends ProducerIdentity {
  readonly name: string;
  /**
   * The identity that its holder gave back for the present one, so that the same request may come twice (KIP-360). `null`
   * when the present one was given to a new instance.
   */
  readonly bumpedFrom: ProducerIdentity | null;
  /** Ids that it had before, whose epochs are used up. Nobody may write with them again. */
  readonly retiredIds: readonly number[];
}

export interface GivenProducerIds {
  /** No id from here on was given to anybody. */
  readonly nextProducerId: number;
  readonly named: readonly NamedProducer[];
}

export const NO_PRODUCER_IDS: GivenProducerIds = { nextProducerId: 0, named: [] };

export function openProducerIdsFile(dataFolder: string, env: Env): CheckpointFile<GivenProducerIds> {
  return new CheckpointFile<GivenProducerIds>({
    disk: env.disk,
    faults: env.faults,
    path: posix.join(dataFolder, PRODUCER_IDS_FILE_NAME),
    name: "producer_ids",
    version: VERSION,
    parse: parseGiven,
    format: formatGiven,
  });
}

function formatGiven({ nextProducerId, named }: GivenProducerIds): unknown {
  return {
    next_producer_id: nextProducerId,
    named: named.map(({ name, bumpedFrom, retiredIds, ...identity }) => ({
      name,
      ...formatIdentity(identity),
      bumped_from: bumpedFrom === null ? null : formatIdentity(bumpedFrom),
      retired_ids: retiredIds,
    })),
  };
}

function formatIdentity({ producerId, producerEpoch }: ProducerIdentity): object {
  return { producer_id: producerId, producer_epoch: producerEpoch };
}

function parseGiven(payload: unknown): GivenProducerIds {
  const fields = fieldsOf(payload, "the producer ids");
  const nextProducerId = offsetOf(fields.get("next_producer_id"), "next_producer_id");
  const named = listOf(fields.get("named"), "named").map(parseNamed);
  const ids = named.flatMap(({ producerId, retiredIds }) => [producerId, ...retiredIds]);
  if (new Set(ids).size !== ids.length) throw new Error("it gives an id to two producers");
  if (new Set(named.map(({ name }) => name)).size !== named.length) throw new Error("it has a name twice");
  const past = ids.find((id) => id >= nextProducerId);
  if (past !== undefined) throw mismatch(past, "a producer id", `a number below ${nextProducerId}`);
  return { nextProducerId, named };
}

function parseNamed(value: unknown): NamedProducer {
  const fields = fieldsOf(value, "a named producer");
  const name = textOf(fields.get("name"), "a producer's name");
  const problem = producerNameProblem(name);
  if (problem !== null) throw new Error(problem);
  const bumpedFrom = fields.get("bumped_from");
  const retired = listOf(fields.get("retired_ids"), "retired_ids");
  return {
    name,
    ...parseIdentity(value, "a named producer"),
    bumpedFrom: bumpedFrom === null ? null : parseIdentity(bumpedFrom, "bumped_from"),
    retiredIds: retired.map((id) => offsetOf(id, "a retired id")),
  };
}

function parseIdentity(value: unknown, what: string): ProducerIdentity {
  const fields = fieldsOf(value, what);
  const max = PRODUCER_EPOCH_MAX;
  return {
    producerId: offsetOf(fields.get("producer_id"), "producer_id"),
    producerEpoch: integerOf(fields.get("producer_epoch"), "producer_epoch", { min: 0, max }),
  };
}

/** Why nobody can be called so, or `null`. */
export function producerNameProblem(name: string): string | null {
  const length = characterCount(name);
  if (length >= 1 && length <= LIMITS.producerNameLengthMax) return null;
  return `the producer's name ${quoted(name)} has ${length} characters; expected 1 to ${LIMITS.producerNameLengthMax}`;
}

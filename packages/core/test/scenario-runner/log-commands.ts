/** `log dump` and `log find`: what lies in the files of a log, and the way to it. */
import type { BatchHeader } from "@minikafka/record";
import { lookupStepFields } from "../../src/log/lookup/find-fields.ts";
import { placeOf } from "./command-line.ts";
import type { Command } from "./stage.ts";

export const LOG_COMMANDS: Readonly<Record<string, Command>> = {
  "log dump <topic> [-p --partition N] [--replica ID] [--records]": ({ stage, given, print }) => {
    const log = stage.cluster.replicaLog(placeOf(given), given.number("replica"));
    const withRecords = given.has("records");
    const { batches } = log.dump(log.logStartOffset, { batchesMax: 1000, bytesMax: 1 << 20, withRecords });
    for (const { header, position, records } of batches) {
      if (header === null) continue;
      print(batchLine(header, position));
      for (const record of header.control === null ? (records ?? []) : []) {
        const key = record.key === null ? "" : ` key: ${Buffer.from(record.key)}`;
        const payload = record.value === null ? "" : ` payload: ${Buffer.from(record.value)}`;
        print(`| offset: ${record.offset}${key}${payload}`);
      }
    }
  },
  "log find <topic> [-p --partition N] [-o --offset N] [--time MS]": ({ stage, given, print }) => {
    const offset = given.number("offset");
    const timestampMs = given.number("time");
    const found = stage.cluster.findInLog(
      placeOf(given),
      offset === undefined ? { timestampMs: timestampMs ?? 0 } : { offset },
    );
    for (const step of found.steps) print(stepLine(lookupStepFields(step)));
    if (found.batch !== null) print(batchLine(found.batch.header, found.batch.position));
    if (found.record !== null) {
      const { offset: at, timestampMs: time, place } = found.record;
      print(`offset: ${at} CreateTime: ${time} placeInBatch: ${place}`);
    }
  },
};

/** Shorter than `minikafka-cli` has it: without what is the same in every line. */
function batchLine(header: BatchHeader, position: number): string {
  const { baseOffset, nextOffset, recordCount, leaderEpoch, control } = header;
  const facts = [`baseOffset: ${baseOffset} lastOffset: ${nextOffset - 1} count: ${recordCount}`];
  if (header.producerId >= 0) {
    facts.push(`producerId: ${header.producerId} producerEpoch: ${header.producerEpoch}`);
    if (control === null) facts.push(`baseSequence: ${header.baseSequence}`);
    facts.push(`isTransactional: ${header.transactional}`);
  }
  if (control !== null) facts.push(`endTxnMarker: ${control}`);
  if (header.deleteHorizonMs !== null) facts.push(`deleteHorizonMs: ${header.deleteHorizonMs}`);
  facts.push(`partitionLeaderEpoch: ${leaderEpoch} position: ${position} size: ${header.frameBytes}`);
  return facts.join(" ");
}

function stepLine(step: ReturnType<typeof lookupStepFields>): string {
  const { segment } = step;
  if (step.step === "segment")
    return `segment ${segment}: up to offset ${step.next_offset}, latest time ${step.max_timestamp_ms}: ${step.taken ? "taken" : "not taken"}`;
  if (step.step === "offset_index")
    return `offset index of segment ${segment}: offset ${step.offset} at position ${step.position}`;
  if (step.step === "scan")
    return `segment ${segment}: ${step.batches === 1 ? "one batch" : `${step.batches} batches`} looked at from position ${step.position}`;
  if (step.step === "index_refused") return `an index of segment ${segment} is not used: ${step.problem}`;
  return `time index of segment ${segment}: after ${entryText(step.after)}, until ${entryText(step.until)}`;
}

function entryText(entry: { readonly timestamp_ms: number; readonly offset: number } | null): string {
  return entry === null ? "no entry" : `time ${entry.timestamp_ms} at offset ${entry.offset}`;
}

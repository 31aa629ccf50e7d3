/** The snapshots of a log's producers as inspection tells of them. */
import { type Disk, DiskError, readSmallFile } from "../../env/disk.ts";
import { LIMITS } from "../../limits.ts";
import { openEnvelope } from "../files/checkpoint-envelope.ts";
import { snapshotPath } from "../files/file-names.ts";
import type { Manifest } from "../manifest/manifest.ts";
import { parseProducerSnapshot } from "../producers/producer-snapshot.ts";
import type { ProducerEntry } from "../producers/producer-state.ts";
import type { Finding } from "./finding.ts";

/** Those that the manifest names, the oldest first. One that is missing or wrong is made up for by the broker. */
export function* inspectSnapshots(disk: Disk, folder: string, manifest: Manifest): Generator<Finding> {
  for (const offset of manifest.producerSnapshots ?? []) {
    const file = snapshotPath(folder, offset);
    const read = readSnapshot(disk, file, manifest, offset);
    const facts =
      typeof read === "string" ? { producers: [], problem: read } : { producers: read, problem: null };
    yield { kind: "snapshot", file, offset, ...facts };
  }
}

/** Or what is wrong with it. */
function readSnapshot(
  disk: Disk,
  file: string,
  owner: Manifest,
  offset: number,
): readonly ProducerEntry[] | string {
  try {
    const bytes = readSmallFile(disk, file, LIMITS.checkpointBytesMax);
    if (bytes === null) return "it is missing; the manifest names it";
    const envelope = openEnvelope(bytes);
    if ("problem" in envelope) return `${envelope.problem}; expected ${envelope.expected}`;
    return parseProducerSnapshot(envelope.payload, owner, offset).producers;
  } catch (problem) {
    if (problem instanceof DiskError || problem instanceof Error) return problem.message;
    throw problem;
  }
}

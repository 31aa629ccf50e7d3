/** The snapshots of a log's producers as inspection tells of them. */
import type { Disk } from "../../env/disk.ts";
import { snapshotPath } from "../files/file-names.ts";
import type { Manifest } from "../manifest/manifest.ts";
import { parseProducerSnapshot } from "../producers/producer-snapshot.ts";
import { lookAtCheckpoint } from "./checkpoint-look.ts";
import type { Finding } from "./finding.ts";

/** Those that the manifest names, the oldest first. One that is missing or wrong is made up for by the broker. */
export function* inspectSnapshots(disk: Disk, folder: string, manifest: Manifest): Generator<Finding> {
  for (const offset of manifest.producerSnapshots ?? []) {
    const file = snapshotPath(folder, offset);
    const read = lookAtCheckpoint(disk, file, (payload) => parseProducerSnapshot(payload, manifest, offset));
    const facts =
      typeof read === "string"
        ? { producers: [], transactions: null, problem: read }
        : { producers: read.producers, transactions: read.transactions, problem: null };
    yield { kind: "snapshot", file, offset, ...facts };
  }
}

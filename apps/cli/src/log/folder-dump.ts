/** `log dump FOLDER` and `log verify FOLDER`: what lies in a partition's files, read from outside of any broker. */
import { basename } from "node:path";
import { compression } from "@minikafka/compression";
import { type Finding, inspectPartition, NodeDisk } from "@minikafka/core/log";
import type { Context } from "../context.ts";
import { DamageReport } from "./damage.ts";
import { servedPartitionsAt } from "./folders.ts";
import type { LogDumpOptions } from "./log-options.ts";
import { batchDocument, batchFromFile, batchText } from "./shown-batch.ts";
import { indexFromFile, indexText } from "./shown-index.ts";
import { snapshotDocument, snapshotText } from "./shown-snapshot.ts";
import { counted, sizesText } from "./sizes-text.ts";

const NOTHING = {
  segments: 0,
  batches: 0,
  records: 0,
  bytes: 0,
  indexes: 0,
  unused_indexes: 0,
  snapshots: 0,
  unused_snapshots: 0,
  damage: 0,
};

const HINT =
  "a broker serves what is sound and refuses the rest, or cuts it where that is said: make a copy of the folder first";

export async function dumpFolder(
  context: Context,
  path: string,
  options: LogDumpOptions,
): Promise<undefined> {
  const disk = new NodeDisk();
  const report = new DamageReport(context);
  for (const folder of await servedPartitionsAt(disk, path, "dump", { context, report })) {
    const printer = new FindingPrinter(context, report, folder);
    const { offset = 0, records = false, batches = Number.POSITIVE_INFINITY } = options;
    let left = batches;
    for (const finding of inspectPartition(disk, folder, { offset, withRecords: records, compression })) {
      if (context.interrupted.aborted || (finding.kind === "batch" && left === 0)) break;
      await printer.print(finding);
      if (finding.kind === "batch" && finding.problem === null) left -= 1;
    }
  }
  report.requireNone(path, HINT);
  return undefined;
}

/** A line for each partition, and each flaw. */
export async function verifyFolder(context: Context, path: string): Promise<undefined> {
  const { settings, data, interrupted } = context;
  const disk = new NodeDisk();
  const report = new DamageReport(context);
  for (const folder of await servedPartitionsAt(disk, path, "verify", { context, report })) {
    const sum = { ...NOTHING };
    const printer = new FindingPrinter(context, report, folder);
    for (const finding of inspectPartition(disk, folder, { compression })) {
      if (interrupted.aborted) return undefined;
      if (finding.kind === "segment") {
        sum.segments += 1;
        sum.bytes += finding.sizeBytes;
      } else if (finding.kind === "batch" && finding.problem === null) {
        sum.batches += 1;
        sum.records += finding.header.recordCount;
      } else if (isIndex(finding)) {
        sum.indexes += 1;
        if (finding.problem === null) continue;
        sum.unused_indexes += 1;
        await report.unusedIndex(finding.file, finding.problem);
      } else if (finding.kind === "snapshot") {
        sum.snapshots += 1;
        if (finding.problem === null) continue;
        sum.unused_snapshots += 1;
        await report.unusedSnapshot(finding.file, finding.problem);
      } else if (finding.kind === "damage" || finding.kind === "tail") {
        if (finding.kind === "damage") sum.damage += 1;
        await printer.print(finding);
      }
    }
    if (settings.json) await data.json({ type: "partition", folder, ...sum });
    else {
      const verdict = sum.damage === 0 ? "sound" : "damaged";
      const counts = sizesText(sum);
      const unused = sum.unused_indexes === 0 ? "" : ` (${sum.unused_indexes} not used)`;
      await data.line(
        `${folder}: ${verdict}, ${counts}, ${counted(sum.indexes, "index", "indexes")} with entries${unused}${snapshotsText(sum)}`,
      );
    }
  }
  report.requireNone(path, HINT);
  return undefined;
}

function isIndex(finding: Finding): finding is Parameters<typeof indexFromFile>[0] {
  return finding.kind.endsWith("index");
}

/** Only logs of idempotent producers have any. */
function snapshotsText({ snapshots, unused_snapshots: unused }: typeof NOTHING): string {
  if (snapshots === 0) return "";
  return `, ${counted(snapshots, "snapshot")}${unused === 0 ? "" : ` (${unused} not used)`}`;
}

/** One partition's findings as text or JSON. */
class FindingPrinter {
  readonly #context: Context;
  readonly #report: DamageReport;
  readonly #place: { readonly topic: string; readonly partition: number };

  constructor(context: Context, report: DamageReport, folder: string) {
    const [, topic = basename(folder), partition = "0"] = /^(.+)-(\d+)$/.exec(basename(folder)) ?? [];
    this.#context = context;
    this.#report = report;
    this.#place = { topic, partition: Number(partition) };
  }

  print(finding: Finding): Promise<void> {
    if (finding.kind === "damage") return this.#report.damage({ where: { file: finding.file }, ...finding });
    if (finding.kind === "tail") return this.#report.tail({ where: { file: finding.file }, ...finding });
    const { data, settings } = this.#context;
    return settings.json ? data.json(this.#document(finding)) : data.write(this.#text(finding));
  }

  #text(finding: Exclude<Finding, { kind: "damage" | "tail" }>): string {
    switch (finding.kind) {
      case "manifest": {
        const { logStartOffset, recoveryPoint, sealed } = finding.manifest;
        const facts = `sealed segments: ${sealed.length} recovery point: ${recoveryPoint.offset}`;
        return `Dumping ${finding.file}\nlog start offset: ${logStartOffset} ${facts}\n`;
      }
      case "segment":
        return `Dumping ${finding.file}\nLog starting offset: ${finding.baseOffset}\n`;
      case "batch":
        return batchText(batchFromFile(finding, this.#place));
      case "index":
      case "time_index":
      case "aborted_index":
        return indexText(indexFromFile(finding));
      case "snapshot":
        return snapshotText(finding);
    }
  }

  #document(finding: Exclude<Finding, { kind: "damage" | "tail" }>): object {
    switch (finding.kind) {
      case "manifest": {
        const { topicId, partition, logStartOffset, recoveryPoint, sealed } = finding.manifest;
        return {
          type: "manifest",
          file: finding.file,
          topic_id: topicId,
          partition,
          log_start_offset: logStartOffset,
          recovery_point_offset: recoveryPoint.offset,
          sealed_segments: sealed.map(({ baseOffset }) => baseOffset),
        };
      }
      case "segment": {
        const { file, baseOffset, sizeBytes, sealed } = finding;
        return { type: "segment", file, base_offset: baseOffset, size_bytes: sizeBytes, sealed };
      }
      case "batch":
        return batchDocument(batchFromFile(finding, this.#place));
      case "index":
      case "time_index":
      case "aborted_index":
        return indexFromFile(finding);
      case "snapshot":
        return snapshotDocument(finding);
    }
  }
}

/** What is written twice, what reaches the disk, what is found and what is dropped there. */

/** @type {import("../mutation.mjs").Mutation[]} */
export const STORAGE = [
  // idempotence
  {
    name: "duplicate-window-of-one",
    sentence: "a retry is known of the last batch alone",
    file: "replica/sequence-check.ts",
    from: ".slice(-window)",
    to: ".slice(-Math.min(window, 1))",
  },
  {
    name: "sequence-gap-taken",
    sentence: "a batch is taken that does not follow the last one",
    file: "replica/sequence-check.ts",
    from: "if (baseSequence === expected) return null;",
    to: "if (baseSequence >= expected) return null;",
  },
  {
    name: "retry-appended-again",
    sentence: "a retry is appended again",
    file: "replica/replica-set.ts",
    from: "if (before !== null) return this.#appendedBefore(before, header, options);",
    to: "",
  },
  // the disk
  {
    name: "log-not-synced",
    sentence: "a flush does not sync the segment",
    file: "log/parts/log-flusher.ts",
    from: "await segment.sync();",
    to: "",
  },
  {
    name: "segment-names-not-synced",
    sentence: "a flush does not sync the folder of a new segment",
    file: "log/parts/log-flusher.ts",
    from: "await env.disk.syncFolderLater(folder);",
    to: "",
  },
  {
    name: "checkpoint-not-synced",
    sentence: "a checkpoint file takes its name before its bytes are synced",
    file: "log/files/checkpoint-file.ts",
    from: "file.syncNow();",
    to: "",
  },
  {
    name: "manifest-not-synced",
    sentence: "a manifest takes its name before its bytes are synced",
    file: "log/files/checkpoint-file.ts",
    from: "await file.sync();",
    to: "",
  },
  {
    name: "removed-before-the-commit",
    sentence: "a manifest counts before it is durable, and files go that the old one names",
    file: "log/parts/manifest-keeper.ts",
    from: "await this.#replace(manifest);\n    this.#manifest = manifest;\n    adopt();\n    this.#trace();\n    this.#removeFiles();",
    to: "this.#manifest = manifest;\n    adopt();\n    this.#trace();\n    this.#removeFiles();\n    await this.#replace(manifest);",
  },
  {
    name: "index-one-entry-further",
    sentence: "a look-up in the offset index begins behind the offset that is sought",
    file: "log/indexes/offset-index.ts",
    from: "if (this.#relativeOffset(middle) <= relativeOffset) below = middle;",
    to: "if (this.#relativeOffset(middle) <= relativeOffset + 2) below = middle;",
  },
  // retention and compaction
  {
    name: "retention-above-the-high-watermark",
    sentence: "retention deletes what not everybody in sync has",
    file: "log/cutting/retention-plan.ts",
    from: "if (segment.nextOffset > highWatermark || (isActive && segment.sizeBytes === 0)) break;",
    to: "if (isActive && segment.sizeBytes === 0) break;",
  },
  {
    name: "compaction-above-the-last-stable-offset",
    sentence: "compaction takes part in what an open transaction has written",
    file: "log/compaction/due-compaction.ts",
    from: "const cleanEnd = Math.min(request.cleanEnd, unstable ?? request.cleanEnd);",
    to: "const cleanEnd = unstable === null ? request.cleanEnd : request.cleanEnd;",
  },
  {
    name: "compaction-believes-aborted",
    sentence: "compaction drops a value for a later one that was aborted",
    file: "log/compaction/key-survey.ts",
    from: "    !transactions.isAborted(header) &&\n",
    to: "",
  },
  {
    name: "compaction-shows-aborted",
    sentence: "compaction drops the marker and keeps the records that were aborted",
    file: "log/compaction/batch-retention.ts",
    from: "if (isAborted || header.recordCount === 0) return this.#emptied(frame, header);",
    to: "if (header.recordCount === 0) return this.#emptied(frame, header);",
  },
  {
    name: "tombstone-dropped-early",
    sentence: "a tombstone goes in its second pass, whatever its time",
    file: "log/compaction/batch-retention.ts",
    from: "return deleteHorizonMs !== null && this.#rules.nowMs >= deleteHorizonMs;",
    to: "return deleteHorizonMs !== null;",
  },
  {
    name: "latest-value-dropped",
    sentence: "compaction drops the latest value of a key with the others",
    file: "log/compaction/batch-retention.ts",
    from: "offset >= latest.get(frame, cursor.keyStart, cursor.keyEnd);",
    to: "offset > latest.get(frame, cursor.keyStart, cursor.keyEnd);",
  },
];

/** Who is in sync, what is visible, who leads, what is acknowledged. */

/** @type {import("../mutation.mjs").Mutation[]} */
export const REPLICATION = [
  // what is visible, and who is in sync
  {
    name: "high-watermark-one-ahead",
    sentence: "the high watermark stands one above what everybody in sync holds",
    file: "replica/leadership.ts",
    from: "return Math.max(highWatermark.value, value ?? 0);",
    to: "return Math.max(highWatermark.value, Math.min(leader.log.logEndOffset, (value ?? -1) + 1));",
    seed: 1,
  },
  {
    name: "high-watermark-of-the-leader",
    sentence: "the high watermark is the leader's log end offset",
    file: "replica/leadership.ts",
    from: "return Math.max(highWatermark.value, value ?? 0);",
    to: "return Math.max(highWatermark.value, value === null ? 0 : leader.log.logEndOffset);",
    seed: 1,
  },
  {
    name: "high-watermark-without-min-isr",
    sentence: "the high watermark moves with fewer in sync than min_insync_replicas",
    file: "replica/leadership.ts",
    from: "if (leader === null || inSync.length < Math.min(inSyncMin, copies.length)) return highWatermark.value;",
    to: "if (leader === null || inSync.length < Math.min(0, inSyncMin, copies.length)) return highWatermark.value;",
    seed: 5,
  },
  {
    name: "high-watermark-not-noted",
    sentence: "the checkpoint of the high watermarks is not written",
    file: "cluster/high-watermark-file.ts",
    from: "await this.#file.replaceLater(notes);",
    to: "",
  },
  {
    name: "isr-without-high-watermark",
    sentence: "a follower is in sync that does not hold what is visible",
    file: "replica/isr.ts",
    from: 'if (logEndOffset < leader.highWatermark) return "behind_high_watermark";',
    to: "",
    seed: 1,
  },
  {
    name: "isr-not-flushed",
    sentence: "a follower is in sync whose disk does not hold what was acknowledged",
    file: "replica/isr.ts",
    from: 'if (rule.joinsFlushed && follower.flushedOffset < leader.highWatermark) return "not_flushed";',
    to: "",
    seed: 15,
  },
  {
    name: "isr-not-judged",
    sentence: "a follower that lags stays in sync for ever",
    file: "replica/isr.ts",
    from: 'if (isMember && only === "joins") continue;',
    to: "if (isMember) continue;",
    seed: 8,
  },
  // leaders
  {
    name: "epoch-not-raised",
    sentence: "a promotion leaves the leader epoch as it is",
    file: "replica/promotion.ts",
    from: "leaderEpoch: state.leaderEpoch + 1,",
    to: "leaderEpoch: state.leaderEpoch,",
    seed: 1,
  },
  {
    name: "promotion-of-anybody",
    sentence: "one that is out of sync is promoted without being asked for uncleanly",
    file: "replica/promotion.ts",
    from: "if (state.inSyncReplicas.includes(brokerId) || isUncleanAllowed) return;",
    to: "if (state.inSyncReplicas.length >= 0 || isUncleanAllowed) return;",
    seed: 26,
  },
  {
    name: "divergence-not-cut",
    sentence: "a follower keeps what it holds of the latest epoch beyond its leader's end of it",
    file: "replica/reconciliation.ts",
    from: "if (theirs.leaderEpoch === epoch) return Math.min(endOffset, theirs.endOffset);",
    to: "if (theirs.leaderEpoch === epoch) return endOffset;",
    seed: 1,
  },
  {
    name: "divergence-by-length",
    sentence: "a follower is cut at its leader's end alone, whatever epochs it holds",
    file: "replica/reconciliation.ts",
    from: 'if (reconciliation === "leader-epoch") return divergence(follower, leader);',
    to: 'if (reconciliation === "leader-epoch") return Math.min(follower.logEndOffset, leader.logEndOffset);',
    seed: 1,
  },
  // acknowledgements
  {
    name: "acknowledged-before-the-flush",
    sentence: "acks=all does not wait for the disks",
    file: "replica/pending-acks.ts",
    from: "return onDisk ? Math.min(end, replica.log.flushedOffset) : end;",
    to: "return end;",
    seed: 2,
  },
  {
    name: "acknowledged-by-the-leader",
    sentence: "acks=all waits for the leader alone",
    file: "replica/pending-acks.ts",
    from: "const end = Math.min(highWatermark, ...inSync.map((replica) => this.#holds(replica, leader, onDisk)));",
    to: "const end = leader.log.logEndOffset;",
    seed: 1,
  },
  {
    name: "acknowledged-below-min-isr",
    sentence:
      "acks=all is kept for who waits for it, though fewer than min_insync_replicas are in sync by then",
    file: "replica/pending-acks.ts",
    from: "if (view.inSync.length < view.minInSyncReplicas) this.#rejectAcks(this.#tooFew(view));",
    to: "if (view.inSync.length < 1) this.#rejectAcks(this.#tooFew(view));",
    seed: 232,
  },
  {
    name: "appended-below-min-isr",
    sentence:
      "acks=all is appended, and refused behind it, though fewer than min_insync_replicas are in sync",
    file: "replica/in-sync-replicas.ts",
    from: "if (inSyncReplicas.length >= minInSyncReplicas) return;",
    to: "if (inSyncReplicas.length >= 0 * minInSyncReplicas) return;",
    seed: 5,
  },
];

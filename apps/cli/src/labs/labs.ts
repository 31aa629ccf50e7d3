/** The labs, in the order in which to take them: that of the lessons in docs/lessons.md, which are told there to be read. */

import { nearest } from "@minikafka/record";
import { CliError } from "../failure.ts";
import type { LabText } from "./lab-text.ts";
import { acks } from "./texts/acks.ts";
import { duplicates } from "./texts/duplicates.ts";
import { highWatermark } from "./texts/high-watermark.ts";
import { inSyncReplicas } from "./texts/in-sync-replicas.ts";
import { lastStableOffset } from "./texts/last-stable-offset.ts";
import { lookUps } from "./texts/look-ups.ts";
import { oldLeader } from "./texts/old-leader.ts";
import { rebalance } from "./texts/rebalance.ts";
import { retentionCompaction } from "./texts/retention-compaction.ts";
import { tornTail } from "./texts/torn-tail.ts";

export const LABS: readonly LabText[] = [
  highWatermark,
  acks,
  inSyncReplicas,
  oldLeader,
  lookUps,
  tornTail,
  retentionCompaction,
  duplicates,
  rebalance,
  lastStableOffset,
];

/** By name, or by number from 1. Throws NOT_FOUND. */
export function labNamed(name: string): LabText {
  const lab = LABS.find((each, index) => each.name === name || String(index + 1) === name);
  if (lab !== undefined) return lab;
  const meant = nearest(
    name,
    LABS.map((each) => each.name),
  );
  throw new CliError("NOT_FOUND", `there is no lab ${name}`, {
    hint: meant === null ? "minikafka-cli lab list shows them" : `did you mean ${meant}?`,
  });
}

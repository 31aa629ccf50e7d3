/** The assignors by name. */
import { type Partitions, partitionSet } from "../partition-sets.ts";
import type { AssignmentQuestion, Assignor, AssignorName } from "./assignor.ts";
import { assignRange } from "./range.ts";
import { assignRoundRobin } from "./roundrobin.ts";
import { assignSticky } from "./sticky.ts";

const BY_NAME: { readonly [Name in AssignorName]: Assignor } = {
  roundrobin: assignRoundRobin,
  range: assignRange,
  sticky: assignSticky,
};

/** Who is to have what; each member's partitions in order. */
export function assign(name: AssignorName, question: AssignmentQuestion): ReadonlyMap<string, Partitions> {
  const assignment = BY_NAME[name](question);
  return new Map([...assignment].map(([memberId, partitions]) => [memberId, partitionSet(partitions)]));
}

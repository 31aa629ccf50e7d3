/** Everything that is judged while a run goes on. They remember: each run has its own. */
import type { Checker } from "./checker.ts";
import { AcknowledgedHeld } from "./state/acknowledged-held.ts";
import { answeredInPlace, retryKnown } from "./state/answers.ts";
import { CompactionKeeps } from "./state/compaction-keeps.ts";
import { CompleteAfterMarkers } from "./state/complete-after-markers.ts";
import { MarkerAfterDecision } from "./state/decided-markers.ts";
import { EnoughBeforeAppend } from "./state/enough-in-sync.ts";
import { LagLeaves } from "./state/lag-leaves.ts";
import { EpochHistory, LogChain, LogsMatch } from "./state/log-chain.ts";
import { JoinsFlushed, MarksGrow, marksInOrder, OneLeader, VisibleByEnough } from "./state/marks.ts";
import { OpensAgain } from "./state/opens-again.ts";
import type { PartitionLook } from "./state/partition-look.ts";
import { SequencesInOrder, StableEnd, TransactionsEnd } from "./state/producers-in-log.ts";

export interface StateCheckers {
  readonly all: readonly Checker<PartitionLook>[];
  /** Is to hear of acknowledgements besides. */
  readonly acknowledgedHeld: AcknowledgedHeld;
}

/** Of looks at a partition, one after another. */
export function stateCheckers(): StateCheckers {
  const acknowledgedHeld = new AcknowledgedHeld();
  const all = [
    new OpensAgain(),
    marksInOrder,
    new MarksGrow(),
    new VisibleByEnough(),
    new OneLeader(),
    new JoinsFlushed(),
    new LogChain(),
    new EpochHistory(),
    new LogsMatch(),
    new SequencesInOrder(),
    new TransactionsEnd(),
    new StableEnd(),
    new CompactionKeeps(),
    acknowledgedHeld,
  ];
  return { all, acknowledgedHeld };
}

/** Of the very instant in which something is sent, answered, written or judged. */
export function instantCheckers() {
  const enoughBeforeAppend = new EnoughBeforeAppend();
  const lagLeaves = new LagLeaves();
  const markerAfterDecision = new MarkerAfterDecision();
  const completeAfterMarkers = new CompleteAfterMarkers();
  const all: readonly { readonly name: string; readonly promise: string }[] = [
    answeredInPlace,
    retryKnown,
    enoughBeforeAppend,
    lagLeaves,
    markerAfterDecision,
    completeAfterMarkers,
  ];
  return { all, enoughBeforeAppend, lagLeaves, markerAfterDecision, completeAfterMarkers };
}

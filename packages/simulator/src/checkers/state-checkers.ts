/** Everything that is judged from looks at a partition, one after another. They remember: each run has its own. */
import type { Checker } from "./checker.ts";
import { AcknowledgedHeld } from "./state/acknowledged-held.ts";
import { CompactionKeeps } from "./state/compaction-keeps.ts";
import { EpochHistory, LogChain, LogsMatch } from "./state/log-chain.ts";
import { JoinsFlushed, MarksGrow, marksInOrder, OneLeader, VisibleByEnough } from "./state/marks.ts";
import type { PartitionLook } from "./state/partition-look.ts";
import { SequencesInOrder, StableEnd, TransactionsEnd } from "./state/producers-in-log.ts";

export interface StateCheckers {
  readonly all: readonly Checker<PartitionLook>[];
  /** Is to hear of acknowledgements besides. */
  readonly acknowledgedHeld: AcknowledgedHeld;
}

export function stateCheckers(): StateCheckers {
  const acknowledgedHeld = new AcknowledgedHeld();
  const all = [
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

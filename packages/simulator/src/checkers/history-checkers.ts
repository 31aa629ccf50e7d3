/** Everything that is judged from a history alone. */
import type { Checker } from "./checker.ts";
import type { JudgedHistory } from "./facts/judged-history.ts";
import { committedOffset } from "./groups/committed-offset.ts";
import { generationGoesBack, staleGeneration } from "./groups/generations.ts";
import { outsiderCommit } from "./groups/outsiders.ts";
import { commitOfAnother, overlappingOwners, twoOwners } from "./groups/owners.ts";
import { cleanPromotion } from "./records/clean-promotion.ts";
import { duplicate } from "./records/duplicate.ts";
import { failedWriteSeen, foreignRecord } from "./records/foreign-record.ts";
import { inconsistentOffsets } from "./records/inconsistent-offsets.ts";
import { lostWrite } from "./records/lost-write.ts";
import { pollOrder } from "./records/poll-order.ts";
import { sendOrder } from "./records/send-order.ts";
import { unanswered } from "./records/unanswered.ts";
import { unseen } from "./records/unseen.ts";
import { vanishedRecord } from "./records/vanished-record.ts";
import { deletedRecordsSeen, visibleEnd, visibleEndGoesBack } from "./records/visible-end.ts";
import { abortedRead, earlyRead, twoEnds } from "./transactions/committed-reads.ts";
import { copiedTwice, copyLost } from "./transactions/copies.ts";
import { fencedProducer } from "./transactions/fenced-producer.ts";
import { producerIdentity } from "./transactions/identities.ts";
import { tornTransaction } from "./transactions/torn-transaction.ts";

export const HISTORY_CHECKERS: readonly Checker<JudgedHistory>[] = [
  lostWrite,
  vanishedRecord,
  inconsistentOffsets,
  duplicate,
  foreignRecord,
  failedWriteSeen,
  unseen,
  unanswered,
  pollOrder,
  sendOrder,
  visibleEnd,
  visibleEndGoesBack,
  deletedRecordsSeen,
  cleanPromotion,
  abortedRead,
  earlyRead,
  twoEnds,
  tornTransaction,
  fencedProducer,
  producerIdentity,
  copiedTwice,
  copyLost,
  generationGoesBack,
  staleGeneration,
  twoOwners,
  commitOfAnother,
  overlappingOwners,
  outsiderCommit,
  committedOffset,
];

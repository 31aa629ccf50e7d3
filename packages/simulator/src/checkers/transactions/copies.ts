/** What a group's copiers consume, transform and produce in transactions is there exactly once. */
import type { Operation } from "../../history/history.ts";
import type { PlaceName } from "../../history/place.ts";
import type { Checker } from "../checker.ts";
import {
  byAnswer,
  isAnswered,
  type JudgedHistory,
  listIn,
  mapIn,
  type Sent,
  topicOf,
} from "../facts/judged-history.ts";
import { sentWords } from "../facts/words.ts";

const COORDINATED = ["__consumer_offsets", "__transaction_state"];

export const copiedTwice: Checker<JudgedHistory> = {
  name: "copied-twice",
  promise:
    "of each record that a group copies in transactions, readers of committed records get one copy at most",
  check(judged, judge) {
    const resets = judged.of("poll").filter(({ ended }) => ended?.code === "OFFSET_OUT_OF_RANGE");
    for (const [group, copies] of copiesOf(judged))
      for (const [input, sents] of copies) {
        if (isExcused(judged, sents) || wasReset(judged, resets, input, sents)) continue;
        judge.asked();
        const shown = sents.filter(({ id }) => isShown(judged, id));
        if (shown.length > 1)
          judge.violated(`${input} was copied by ${group} ${shown.length} times`, shown.map(sentWords));
      }
  },
};

export const copyLost: Checker<JudgedHistory> = {
  name: "copy-lost",
  promise: "of each record below the offset that a group of copiers has committed in the end there is a copy",
  check(judged, judge) {
    const copies = copiesOf(judged);
    for (const read of lastOffsets(judged)) {
      const copied = copies.get(read.asked.groupId);
      if (copied === undefined) continue;
      for (const { place, offset: committed } of read.ended.told.offsets) {
        if (committed === null || mayHaveGone(judged, place)) continue;
        for (const input of inputsOf(judged, place, committed)) {
          const sents = copied.get(input.id) ?? [];
          if (isExcused(judged, [input, ...sents]) || mayBePassedOver(judged, input)) continue;
          judge.asked();
          if (sents.some((sent) => mayBeThere(judged, sent))) continue;
          judge.violated(
            `${input.id} at ${place} offset ${input.offset} has no copy, and ${read.asked.groupId} is at ${committed}`,
            [sentWords(input), ...sents.map(sentWords)],
          );
        }
      }
    }
  },
};

/** By group and by the id of what was copied. */
function copiesOf(judged: JudgedHistory): Map<string, Map<string, Sent[]>> {
  const copies = new Map<string, Map<string, Sent[]>>();
  for (const sent of judged.sent.values()) {
    const groupId = sent.transaction?.offsets[0]?.asked.groupId;
    if (sent.copyOf !== null && groupId !== undefined) listIn(mapIn(copies, groupId), sent.copyOf).push(sent);
  }
  return copies;
}

function isShown(judged: JudgedHistory, id: string): boolean {
  return judged.sights.get(id)?.some(({ poll }) => poll.asked.isolation === "read_committed") ?? false;
}

function isExcused({ losses }: JudgedHistory, sents: readonly Sent[]): boolean {
  return sents.some(({ send, place }) => {
    const span = { from: send.order, to: Number.POSITIVE_INFINITY };
    const excuses = COORDINATED.map((topic) => losses.excuseOfTopic(topic, "all", span));
    return [...excuses, losses.excuse(place, "all", span)].some((excuse) => excuse !== null);
  });
}

/** What a copier had read and committed was lost with its input's end: it begins anew, as its clients are told to. */
function wasReset(
  { sent, losses }: JudgedHistory,
  resets: readonly Operation<"poll">[],
  input: string,
  copies: readonly Sent[],
): boolean {
  const place = sent.get(input)?.place;
  const orders = copies.map(({ send }) => send.order);
  const [from, to] = [Math.min(...orders), Math.max(...orders)];
  return resets.some(
    ({ order, asked }) =>
      order > from &&
      order < to &&
      asked.place === place &&
      losses.excuse(place, "visible", { from: 0, to: order }) !== null,
  );
}

/** The group may have come past its offset with what stood there before, and was lost. */
function mayBePassedOver({ losses }: JudgedHistory, { place, send }: Sent): boolean {
  return losses.excuse(place, "visible", { from: 0, to: send.ended?.order ?? send.order }) !== null;
}

/** Of each group, what was read last of its offsets, once all was well. */
function lastOffsets(judged: JudgedHistory) {
  const quietFrom = judged.quietFrom ?? Number.POSITIVE_INFINITY;
  const reads = byAnswer(judged.of("read_offsets").filter(isAnswered)).filter(
    ({ order }) => order > quietFrom,
  );
  return new Map(reads.map((read) => [read.asked.groupId, read])).values();
}

/** Whether a copy is committed, as was told or seen; or may have been, and gone before anybody could tell. */
function mayBeThere(judged: JudgedHistory, { id, place, transaction }: Sent): boolean {
  if (isShown(judged, id) || transaction?.committedAt != null) return true;
  return transaction?.visibleFrom != null && mayHaveGone(judged, place);
}

/** Its records may have gone before anybody copied or read them. */
function mayHaveGone(judged: JudgedHistory, place: PlaceName): boolean {
  const topic = judged.topics.get(topicOf(place));
  const isDeleted = judged.of("delete_records").some(({ asked }) => asked.place === place);
  return topic === undefined || topic.isCompacted || topic.isRetained || isDeleted;
}

/** What readers of committed records were given below an offset, or will be. */
function inputsOf(judged: JudgedHistory, place: PlaceName, below: number): Sent[] {
  const inputs: Sent[] = [];
  for (const [offset, sents] of judged.acknowledged.get(place) ?? []) {
    if (offset >= below) continue;
    for (const sent of sents)
      if (
        sent.send.asked.acks === "all" &&
        (sent.transaction === null || sent.transaction.committedAt !== null)
      )
        inputs.push(sent);
  }
  return inputs;
}

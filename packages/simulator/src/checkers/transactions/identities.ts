/** Who is who among producers: an identity is given once. */
import type { Checker, Judge } from "../checker.ts";
import { type Answered, byAnswer, isAnswered, type JudgedHistory } from "../facts/judged-history.ts";
import { when } from "../facts/words.ts";

type Init = Answered<"init_producer">;

export const producerIdentity: Checker<JudgedHistory> = {
  name: "producer-identity",
  promise:
    "no two clients are given one producer id and epoch, and the epochs of a transactional id only rise",
  check(judged, judge) {
    const inits = byAnswer(judged.of("init_producer").filter(isAnswered));
    const given = new Map<string, Init>();
    const last = new Map<string, Init>();
    for (const init of inits) {
      const { producerId, producerEpoch } = init.ended.told;
      judge.asked();
      const name = `${producerId}:${producerEpoch}`;
      const other = given.get(name);
      const isSafe = isKept(judged, other ?? init, init);
      if (other !== undefined && other.client !== init.client && isSafe)
        judge.violated(`${name} was given to ${other.client} and to ${init.client}`, [
          words(other),
          words(init),
        ]);
      given.set(name, init);
      checkRises(judged, judge, last, init);
    }
  },
};

function checkRises(judged: JudgedHistory, judge: Judge, last: Map<string, Init>, init: Init): void {
  const { transactionalId } = init.asked;
  if (transactionalId === null) return;
  const before = last.get(transactionalId);
  last.set(transactionalId, init);
  if (before === undefined || before.ended.order > init.order || !isKept(judged, before, init)) return;
  const [old, told] = [before.ended.told, init.ended.told];
  const isSame = before.client === init.client && told.producerEpoch === old.producerEpoch;
  if (told.producerId === old.producerId && (told.producerEpoch > old.producerEpoch || isSame)) return;
  const problem = `${transactionalId} was ${old.producerId}:${old.producerEpoch}, and is ${told.producerId}:${told.producerEpoch}`;
  judge.violated(problem, [words(before), words(init)]);
}

/** `later` was answered later, and may have been asked before: from then on its answer may have been on its way. */
function isKept({ losses }: JudgedHistory, before: Init, later: Init): boolean {
  const span = { from: Math.min(before.order, later.order), to: later.ended.order };
  return losses.excuseOfTopic("__transaction_state", "all", span) === null;
}

function words(init: Init): string {
  const { producerId, producerEpoch } = init.ended.told;
  const who = init.asked.transactionalId ?? "without a name";
  return `${init.client} (${who}) was given ${producerId}:${producerEpoch} (${when(init)})`;
}

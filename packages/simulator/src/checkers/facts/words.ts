/** What happened, in words, for whoever has to find out why. */
import type { Operation, OperationKind } from "../../history/history.ts";
import type { Poll, Sent, Sight } from "./judged-history.ts";

/** `#12, 35 ms to #19, 40 ms: ok`. */
export function when<Kind extends OperationKind>({ order, atMs, ended }: Operation<Kind>): string {
  const asked = `#${order}, ${atMs} ms`;
  if (ended === null) return `${asked}, never answered`;
  const { outcome, code, attempts } = ended;
  const why = code === null ? outcome : `${outcome}, ${code}`;
  const often = attempts === 1 ? "" : ` after ${attempts} attempts`;
  return `${asked} to #${ended.order}, ${ended.atMs} ms: ${why}${often}`;
}

export function sentWords({ id, place, send, offset, transaction }: Sent): string {
  const { acks, sequence } = send.asked;
  const who =
    sequence === null
      ? ""
      : `, producer ${sequence.producerId}:${sequence.producerEpoch} from sequence ${sequence.baseSequence}`;
  const within = transaction === null ? "" : `, in transaction ${transaction.name}`;
  const where = offset === null ? "" : `, told offset ${offset}`;
  return `${send.client} sent ${id} to ${place} with acks ${acks}${who}${within}${where} (${when(send)})`;
}

export function pollWords(poll: Poll): string {
  const { reader, place, isolation, fromOffset } = poll.asked;
  const { records, nextOffset, logStartOffset, highWatermark, lastStableOffset } = poll.ended.told;
  const marks = `log start ${logStartOffset}, stable to ${lastStableOffset}, high watermark ${highWatermark}`;
  const what = `${poll.client} (${reader}) read ${place} ${isolation} from ${fromOffset} to ${nextOffset}`;
  return `${what}: ${records.length} records, ${marks} (${when(poll)})`;
}

export function sightWords({ id, offset, poll }: Sight): string {
  return `${id} at ${offset}: ${pollWords(poll)}`;
}

/** `log verify TOPIC -p N`: every batch of a partition, checked by the broker that has it open. */
import type { Context } from "../context.ts";
import { withSession } from "../session.ts";
import { DamageReport } from "./damage.ts";
import { sizesText } from "./sizes-text.ts";

/** Batches of one request. They are read and checked for it, and without their records they are short. */
const BATCHES_MAX = 1_000;

/** A line for the partition, and each flaw. */
export function verifyPartition(
  context: Context,
  place: { readonly topic: string; readonly partition: number },
): Promise<undefined> {
  const { settings, data, interrupted } = context;
  return withSession(context, async (session) => {
    const report = new DamageReport(context);
    const segments = new Set<number>();
    const sum = { batches: 0, records: 0, bytes: 0, damage: 0 };
    for (let from: number | null = null; ; ) {
      if (interrupted.aborted) return undefined;
      const begun: { readonly offset?: number } = from === null ? {} : { offset: from };
      const answer = await session.call("dump_log", { ...place, ...begun, max_batches: BATCHES_MAX });
      const damaged = answer.batches.flatMap(({ segment, position, problem }) =>
        problem === null ? [] : [{ segment, position, problem }],
      );
      for (const { segment, position, problem } of [...damaged, ...answer.damage])
        await report.damage({ where: { segment }, position, problem });
      sum.damage += damaged.length + answer.damage.length;
      for (const { segment, record_count, size_bytes, problem } of answer.batches) {
        segments.add(segment);
        if (problem !== null) continue;
        sum.batches += 1;
        sum.records += record_count;
        sum.bytes += size_bytes;
      }
      from = answer.next_offset;
      if (from >= answer.log_end_offset) break;
    }
    const name = `${place.topic}-${place.partition}`;
    if (settings.json) await data.json({ type: "partition", ...place, segments: segments.size, ...sum });
    else {
      const verdict = sum.damage === 0 ? "sound" : "damaged";
      const counts = sizesText({ segments: segments.size, ...sum });
      await data.line(`${name}: ${verdict}, ${counts}`);
    }
    report.requireNone(name, "log dump shows what can be read around it");
    return undefined;
  });
}

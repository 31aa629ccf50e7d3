/** `log dump TOPIC -p N`: what lies in a partition's files, as the broker that has it open tells. */
import type { Context } from "../context.ts";
import { withSession } from "../session.ts";
import { DamageReport } from "./damage.ts";
import type { LogDumpOptions } from "./log-options.ts";
import { batchDocument, batchFromWire, batchText } from "./shown-batch.ts";
import { indexesFromWire, indexText } from "./shown-index.ts";

/** Batches of one request, so that no answer is long. */
const BATCHES_MAX = 500;

export function dumpPartition(
  context: Context,
  place: { readonly topic: string; readonly partition: number },
  { offset, replica, batches: wanted = Number.POSITIVE_INFINITY, records = false }: LogDumpOptions,
): Promise<undefined> {
  const { settings, data, interrupted } = context;
  return withSession(context, async (session) => {
    const report = new DamageReport(context);
    let left = wanted;
    let from = offset;
    let segment: number | null = null;
    while (left > 0 && !interrupted.aborted) {
      const asked = {
        ...place,
        ...(replica === undefined ? {} : { broker_id: replica }),
        records,
        indexes: true,
        max_batches: Math.min(left, BATCHES_MAX),
      };
      const answer = await session.call("dump_log", from === undefined ? asked : { ...asked, offset: from });
      for (const batch of answer.batches) {
        const shown = batchFromWire(batch, place);
        if (!settings.json && segment !== batch.segment)
          await data.line(`Dumping ${place.topic}-${place.partition}, segment ${batch.segment}`);
        segment = batch.segment;
        if (settings.json) await data.json(batchDocument(shown));
        else await data.write(batchText(shown));
        const { position, problem } = batch;
        if (problem !== null) await report.damage({ where: { segment }, position, problem });
        else left -= 1;
      }
      for (const index of indexesFromWire(answer.indexes)) {
        if (settings.json) await data.json(index);
        else await data.write(indexText(index));
        segment = null;
      }
      for (const damage of answer.damage)
        await report.damage({ where: { segment: damage.segment }, ...damage });
      from = answer.next_offset;
      if (from >= answer.log_end_offset) break;
    }
    const name = `${place.topic}-${place.partition}`;
    report.requireNone(
      name,
      "records there cannot be read; those around it can, fetch -o OFFSET goes past it",
    );
    return undefined;
  });
}

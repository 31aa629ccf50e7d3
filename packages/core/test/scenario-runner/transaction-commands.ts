/** `tx` and the step of transactions. */
import { placesText } from "./group-commands.ts";
import type { Command } from "./stage.ts";
import { table } from "./tables.ts";

export const TRANSACTION_COMMANDS: Readonly<Record<string, Command>> = {
  "tx describe <id>": async ({ stage, given, print }) => {
    const id = given.required("id");
    const { state, producerId, producerEpoch, partitions, lastEnd } =
      await stage.cluster.transactions.describe(id);
    const end = lastEnd === null ? null : `${lastEnd.committed ? "commit" : "abort"},${lastEnd.cause}`;
    print(
      ...table("TRANSACTIONAL-ID STATE PRODUCER PRODUCER-EPOCH PARTITIONS LAST-END", [
        [id, state, producerId, producerEpoch, placesText(partitions), end],
      ]),
    );
  },
  "tx abort <id>": async ({ stage, given, print }) => {
    const id = given.required("id");
    const aborted = await stage.cluster.transactions.abort(id);
    print(aborted ? `aborted the open transaction of ${id}` : `${id} has no open transaction`);
  },
  "step expire-transactions": async ({ stage, print }) => {
    const { aborted, completed } = await stage.cluster.transactions.expire();
    const rows = [...aborted.map((id) => [id, "aborted"]), ...completed.map((id) => [id, "completed"])];
    print(...table("TRANSACTIONAL-ID OUTCOME", rows));
    if (rows.length === 0)
      print("% no transaction is open for longer than its timeout, or waits for its end");
  },
};

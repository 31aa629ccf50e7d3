/** `produce --transactional-id`: all that is typed is one transaction, committed at the end of the input. */
import { encodeBatch } from "@minikafka/record";
import { partitionName } from "../../src/replica/topic-partition.ts";
import { placeOf } from "./command-line.ts";
import { partitionOf, recordOf } from "./given-records.ts";
import type { Run } from "./stage.ts";

export async function transact(run: Run): Promise<void> {
  const { stage, given, input, print } = run;
  const { transactions } = stage.cluster;
  const transactionalId = given.required("transactional-id");
  const caller = { transactionalId, ...(await transactions.init({ transactionalId })) };
  await transactions.begin(caller);
  const sequences = new Map<string, number>();
  const send = async (text: string) => {
    const record = recordOf(stage, given, text);
    const place = { ...placeOf(given), partition: partitionOf(stage, given, record.key) };
    const baseSequence = sequences.get(partitionName(place)) ?? 0;
    const frame = encodeBatch({ records: [record], ...caller, baseSequence, transactional: true });
    const { baseOffset } = await transactions.append(place, frame, { transactionalId });
    sequences.set(partitionName(place), baseSequence + 1);
    print(`partition ${place.partition}, offset ${baseOffset}`);
  };
  if (given.has("value")) await send(given.required("value"));
  else
    for await (const line of input) {
      if (line === "^C") {
        await transactions.end({ ...caller, commit: false });
        print(`% aborted the transaction of ${transactionalId}`);
        return;
      }
      await send(line);
    }
  await transactions.end({ ...caller, commit: true });
  print(`% committed the transaction of ${transactionalId}`);
}

/** Bytes whose memory was given away before they were copied: a mistake of one record, and of no other. */
import { expect, test } from "vitest";
import { failure } from "../../test/support/failure.ts";
import { producing } from "../../test/support/producing.ts";
import { transacting } from "../../test/support/transacting.ts";
import type { ProducedRecord } from "./produced-record.ts";

const BYTES = () => new Uint8Array([1, 2, 3]);

function giveAway(bytes: Uint8Array): Uint8Array {
  structuredClone(bytes.buffer, { transfer: [bytes.buffer as ArrayBuffer] });
  return bytes;
}

const PLACES: readonly [string, (bytes: Uint8Array) => Omit<ProducedRecord, "topic">][] = [
  ["value", (value) => ({ value })],
  ["key", (key) => ({ key, value: "v", partition: 0 })],
  ["a header's value", (value) => ({ value: "v", headers: [{ key: "h", value }] })],
];
const refusal = (what: string) => ({
  code: "USAGE",
  message: expect.stringContaining(`${what} is bytes whose memory was given away`),
});

test.each(PLACES)("%s that has no memory is refused at the send, alone", async (what, holding) => {
  const { broker, client, producer } = await producing();
  const lost = { topic: "orders", ...holding(giveAway(BYTES())) };
  for (const state of ["before the partitions are known", "after"]) {
    const before = producer.send({ topic: "orders", partition: 0, value: `${state}: 1` });
    const refused = failure(producer.send(lost));
    const together = failure(producer.sendMany([{ topic: "orders", value: "not alone" }, lost]));
    const after = producer.send({ topic: "orders", partition: 0, value: `${state}: 2` });
    expect(await refused).toMatchObject(refusal(what));
    expect(await together).toMatchObject(refusal(what));
    await Promise.all([before, after]);
  }
  expect(broker.values("orders", 0)).toHaveLength(4);
  await client.close();
});

test.each(PLACES)(
  "%s that loses its memory while the partitions are asked for fails its record alone",
  async (what, holding) => {
    const { broker, client, producer } = await producing();
    const bytes = BYTES();
    const before = producer.send({ topic: "orders", partition: 0, value: "1" });
    const refused = failure(producer.send({ topic: "orders", ...holding(bytes) }));
    const after = producer.send({ topic: "orders", partition: 0, value: "2" });
    giveAway(bytes);
    expect(await refused).toMatchObject(refusal(what));
    await Promise.all([before, after]);
    expect(broker.values("orders", 0)).toEqual(["1", "2"]);
    expect(producer.buffered).toEqual({ records: 0, bytes: 0 });
    await client.close();
  },
);

test("a close after such a record, which was the only one, is whole", async () => {
  const { client, producer } = await producing();
  const value = BYTES();
  const refused = failure(producer.send({ topic: "orders", value }));
  giveAway(value);
  await producer.close();
  expect(await refused).toMatchObject({ code: "USAGE" });
  await client.close();
});

test("it dooms its transaction, as any record that is refused", async () => {
  const { client } = await transacting();
  const producer = client.producer({ transactionalId: "away" });
  const value = BYTES();
  const failed = producer.transaction(async (tx) => {
    void tx.send({ topic: "orders", value });
    giveAway(value);
  });
  expect(await failure(failed)).toMatchObject({ ...refusal("value"), abortable: true });
  await client.close();
});

test("bytes of no length are a value, and so are those of a buffer that others see", async () => {
  const { broker, client, producer } = await producing();
  const shared = new Uint8Array(new SharedArrayBuffer(1));
  for (const value of [new Uint8Array(0), Buffer.alloc(0), shared])
    await producer.send({ topic: "orders", partition: 0, value });
  expect(broker.values("orders", 0)).toEqual(["", "", "\0"]);
  await client.close();
});

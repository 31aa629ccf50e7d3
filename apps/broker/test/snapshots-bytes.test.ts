/** Lines that are no text: a history has them byte by byte. */
import { MemoryDisk } from "@minikafka/core/testing";
import { expect, test } from "vitest";
import { base64, openBroker, Session } from "./support/broker.ts";

const PLACE = { topic: "orders", partition: 0 };

test.each(["memory", "folder"])(
  "a line that is not UTF-8 spoils no state that is gone back to: it is done once more as it came; kept in %s",
  async (keep) => {
    const session = Session.open(await openBroker({}, new MemoryDisk()));
    await session.call("create_topic", { topic: "orders", partitions: 1 });
    await session.call("produce", { ...PLACE, value_b64: base64("a") });
    const bad = Buffer.concat([Buffer.from('{"operation":"ping","id":"'), Buffer.from([0xc3, 0x28, 0xff])]);
    for (const line of [bad, Buffer.from([0xff, 0xfe]), Buffer.from('{"operation":"\ufffd"}')]) {
      session.send(Buffer.concat([line, Buffer.from("\n")]));
      expect(await session.answer()).toMatchObject({ ok: false });
    }
    const { lines } = await session.call("read_history");
    const asked = lines.map((line) => JSON.parse(line).request ?? {});
    expect(asked.filter(({ line_b64 }) => line_b64 !== undefined).map(({ line_b64 }) => line_b64)).toEqual([
      bad.toString("base64"),
      "//4=",
    ]);
    await session.call("save_snapshot", { name: "kept", keep });
    await session.call("produce", { ...PLACE, value_b64: base64("b") });
    expect(await session.call("load_snapshot", { name: "kept" })).toMatchObject({ difference: null });
    expect((await session.call("fetch", { ...PLACE, offset: 0 })).records).toHaveLength(1);
    expect((await session.call("read_history")).lines.slice(0, lines.length)).toEqual(lines);
  },
);

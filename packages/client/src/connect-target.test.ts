import { expect, test } from "vitest";
import { failure } from "../test/support/failure.ts";
import { Client, connect } from "./client.ts";
import type { ConnectTarget } from "./connect-target.ts";

test.each(["host:port", "a:b:c", "127.0.0.1:0", "127.0.0.1:70000", "70000", "[::1"])(
  "%j is no address",
  (broker) => {
    expect(() => new Client({ broker })).toThrow(expect.objectContaining({ code: "USAGE" }));
  },
);

test.each([
  [{ brokers: ["127.0.0.1:9192"] }, 'no "brokers"', 'broker: "host:port"'],
  [{ adress: "127.0.0.1" }, 'no "adress"', "expected host, port, broker, link"],
  [{ broker: "127.0.0.1:9192", port: 1 }, "broker and port", "one of"],
  [{ broker: undefined }, "broker is undefined", '"host:port"'],
  [{ broker: ["127.0.0.1:9192"] }, 'broker is ["127.0.0.1:9192"]', '"host:port"'],
  [{ host: 5 }, "host is 5", "expected"],
  [{ link: "127.0.0.1:9192" }, "link is no function", "expected"],
  [null, "the address is null", '{ broker: "host:port" }'],
  [9192, "the address is 9192", '{ broker: "host:port" }'],
])("an address that would end at another broker is refused: %j", (target, said, expected) => {
  expect(() => new Client(target as ConnectTarget)).toThrow(
    expect.objectContaining({
      code: "USAGE",
      message: expect.stringMatching(new RegExp(`${escaped(said)}.*${escaped(expected)}`)),
    }),
  );
});

test("an address may be text", async () => {
  const nobody = await failure(connect("127.0.0.1:1"));
  expect(nobody).toMatchObject({ code: "CONNECTION", message: expect.stringContaining("127.0.0.1:1") });
  const bare = await failure(connect("1"));
  expect(bare).toMatchObject({ code: "CONNECTION", message: expect.stringContaining("127.0.0.1:1") });
  expect(await failure(connect("a:b:c"))).toMatchObject({ code: "USAGE" });
});

function escaped(text: string): string {
  return text.replace(/[[\]{}.]/g, "\\$&");
}

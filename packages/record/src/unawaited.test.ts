import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { isUnawaited } from "./unawaited.ts";

/** As a query of a database that begins when it is waited for. */
const begins = (query: object) =>
  Object.assign(query, {
    // biome-ignore lint/suspicious/noThenProperty: that is what is asked about
    then() {
      throw new Error("it was waited for");
    },
  });

test.each([
  ["a promise", () => Promise.resolve(1)],
  ["one that fails", () => Promise.reject(new Error("unheard"))],
  ["one of another realm", () => runInNewContext("Promise.reject(new Error('unheard'))")],
  ["what begins when it is waited for", () => begins({})],
  ["what has that from its class", () => Object.create(begins({}))],
  ["a function that can be waited for", () => begins(() => 1)],
])("%s is one, and is not waited for", async (_what, make) => {
  expect(isUnawaited(make())).toBe(true);
  // A rejection that nobody has heard would have failed this run by now.
  await new Promise((resolve) => setImmediate(resolve));
});

test.each([undefined, null, true, 0, "then", {}, [], () => 1, Buffer.from("then")])(
  "%o is none",
  (made: unknown) => {
    expect(isUnawaited(made)).toBe(false);
  },
);

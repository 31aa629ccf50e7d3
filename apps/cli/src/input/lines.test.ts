import fc from "fast-check";
import { expect, test } from "vitest";
import { MessageTooLong, splitMessages } from "./lines.ts";

async function split(
  chunks: readonly (Buffer | string)[],
  options: Partial<Parameters<typeof splitMessages>[1]> = {},
): Promise<Buffer[]> {
  const messages: Buffer[] = [];
  const stream = (async function* () {
    yield* chunks;
  })();
  const settings = {
    delimiter: Buffer.from("\n"),
    dropCarriageReturn: false,
    messageBytesMax: 1000,
    ...options,
  };
  for await (const group of splitMessages(stream, settings)) messages.push(...group);
  return messages;
}

const texts = (messages: readonly Buffer[]) => messages.map((message) => message.toString("latin1"));

test("a file that ends with its delimiter has no empty message after it, and one that does not loses nothing", async () => {
  expect(texts(await split(["a\nb\n"]))).toEqual(["a", "b"]);
  expect(texts(await split(["a\nb"]))).toEqual(["a", "b"]);
  expect(texts(await split(["\n\n"]))).toEqual(["", ""]);
  expect(texts(await split([]))).toEqual([]);
});

test("however the input is cut into chunks, the messages are those of the whole", async () => {
  const letters = fc.constantFrom("a", "b", ";", "\r", "\n");
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: letters, maxLength: 12 }), { maxLength: 12 }),
      fc.constantFrom("\n", ";", ";;", ";a;", "\r\n", ";;;;"),
      async (chunks, delimiter) => {
        const expected = chunks.join("").split(delimiter);
        if (expected.at(-1) === "") expected.pop();
        const actual = await split(
          chunks.map((chunk) => Buffer.from(chunk)),
          { delimiter: Buffer.from(delimiter) },
        );
        expect(texts(actual)).toEqual(expected);
      },
    ),
  );
});

test("a line's \\r goes with its newline only when asked to, and only one", async () => {
  expect(texts(await split(["a\r", "\nb\r\r\n"], { dropCarriageReturn: true }))).toEqual(["a", "b\r"]);
  expect(texts(await split(["a\r\n"]))).toEqual(["a\r"]);
});

test("a message past the bound is refused by its number, finished or not, and is not collected", async () => {
  const tooLong = { messageBytesMax: 4 };
  await expect(split(["ok\nabcde\n"], tooLong)).rejects.toMatchObject({ messageNumber: 2 });
  await expect(split(["ok\nabcde"], tooLong)).rejects.toMatchObject({ messageNumber: 2 });
  let pulled = 0;
  const endless = (async function* () {
    for (;;) {
      pulled += 1;
      yield Buffer.from("xx");
    }
  })();
  const options = { delimiter: Buffer.from("\n"), dropCarriageReturn: false, messageBytesMax: 100 };
  await expect(splitMessages(endless, options).next()).rejects.toBeInstanceOf(MessageTooLong);
  expect(pulled).toBe(51);
  await expect(split(["abcd\n"], tooLong)).resolves.toHaveLength(1);
});

test("the messages before one that is too long are handed out, even when all came in one piece", async () => {
  const stream = (async function* () {
    yield "a\nb\nabcde\nc\n";
  })();
  const seen: string[] = [];
  const reading = async () => {
    const options = { delimiter: Buffer.from("\n"), dropCarriageReturn: false, messageBytesMax: 4 };
    for await (const group of splitMessages(stream, options)) seen.push(...texts(group));
  };
  await expect(reading()).rejects.toMatchObject({ messageNumber: 3 });
  expect(seen).toEqual(["a", "b"]);
});

import { expect, test } from "vitest";
import { SipHash128 } from "./sip-hash.ts";

const counting = (length: number) => Buffer.from(Array.from({ length }, (_, index) => index));

function hashOf(bytes: Uint8Array, hash = new SipHash128([0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c])) {
  hash.hash(bytes, 0, bytes.length);
  const text = Buffer.alloc(16);
  hash.words.forEach((word, index) => {
    text.writeUInt32LE(word, 4 * index);
  });
  return text.toString("hex");
}

test("hashes are those that the authors of SipHash published for 128 bits", () => {
  expect(hashOf(counting(0))).toBe("a3817f04ba25a8e66df67214c7550293");
  expect(hashOf(counting(1))).toBe("da87c1d86b99af44347659119b22fc45");
  expect(hashOf(counting(15))).toBe("5493e99933b0a8117e08ec0f97cfc3d9");
  expect(hashOf(counting(63))).toBe("5150d1772f50834a503e069a973fbd7c");
});

test("a hash is of the bytes alone, wherever they lie, and of the secret", () => {
  const hash = new SipHash128([1, 2, 3, 4]);
  const alone = hashOf(Buffer.from("alice"), hash);
  hash.hash(Buffer.from("..alice.."), 2, 7);
  const among = [...hash.words];
  hash.hash(Buffer.from("alice"), 0, 5);
  expect([...hash.words]).toEqual(among);
  expect(hashOf(Buffer.from("alice"), new SipHash128([1, 2, 3, 5]))).not.toBe(alone);
});

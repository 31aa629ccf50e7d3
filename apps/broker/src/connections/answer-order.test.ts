import fc from "fast-check";
import { expect, test } from "vitest";
import { AnswerOrder } from "./answer-order.ts";

test("answers leave in the order of their places, whatever the order in which they become ready", () => {
  const readiness = fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 8 });
  const silent = fc.subarray([0, 1, 2, 3, 4, 5, 6, 7]);
  fc.assert(
    fc.property(readiness, silent, (order, withoutAnswer) => {
      const answers = new AnswerOrder();
      const places = order.map(() => answers.takePlace());
      const sent: string[] = [];
      order.forEach((index, step) => {
        const place = places[index];
        if (place === undefined) throw new Error("no such place");
        answers.answer(place, withoutAnswer.includes(index) ? null : `${index}`, (line) =>
          sent.push(line.toString()),
        );
        // An answer leaves as soon as everything before it was answered.
        const ready = new Set(order.slice(0, step + 1));
        const gone = places.findIndex((_place, before) => !ready.has(before));
        const due =
          (gone === -1 ? places.length : gone) -
          withoutAnswer.filter((at) => gone === -1 || at < gone).length;
        expect(sent.length).toBe(due);
      });
      expect(sent).toEqual(sent.toSorted());
      expect(answers).toMatchObject({ heldCharacters: 0, isIdle: true });
    }),
  );
});

test("what waits for an earlier answer is counted until it leaves", () => {
  const answers = new AnswerOrder();
  const first = answers.takePlace();
  const second = answers.takePlace();
  const sent: string[] = [];
  answers.answer(second, "12345", (line) => sent.push(line.toString()));
  expect(answers).toMatchObject({ heldCharacters: 5, isIdle: false });
  const third = answers.takePlace();
  answers.answer(third, [Buffer.from("123"), Buffer.from("4567")], (pieces) => sent.push(String(pieces)));
  expect(answers).toMatchObject({ heldCharacters: 12 });
  answers.answer(first, "1", (line) => sent.push(line.toString()));
  expect(sent).toEqual(["1", "12345", "123,4567"]);
  expect(answers).toMatchObject({ heldCharacters: 0, isIdle: true });
});

import { expect, test } from "vitest";
import { type LabLine, linesOf, wordsOf } from "./lab-script.ts";
import { LABS, labNamed } from "./labs.ts";

const isAct = ({ kind }: LabLine) => kind === "command" || kind === "befallen" || kind === "broker";

test.each(LABS)(
  "the lab $name can be read, begins with its title, and asks before an outcome that it checks",
  (lab) => {
    const lines = linesOf(lab.script);
    expect(lines[0]?.kind).toBe("told");
    expect(lines.find(isAct)?.kind).toBe("broker");
    const questions = lines.flatMap(({ kind }, index) => (kind === "asked" ? [index] : []));
    expect(questions.length).toBeGreaterThan(0);
    for (const [index, question] of questions.entries()) {
      const outcome = lines.slice(question + 1, questions[index + 1]);
      expect(outcome.some(isAct)).toBe(true);
      // Nobody is told the answer before it can be seen.
      expect(outcome.slice(0, outcome.findIndex(isAct)).every(({ text }) => text === "")).toBe(true);
    }
    expect(lines.some(({ kind }) => kind === "awaited")).toBe(true);
  },
);

test("labs have names of their own, and are found by name and by number", () => {
  expect(new Set(LABS.map(({ name }) => name)).size).toBe(LABS.length);
  expect(labNamed("high-watermark")).toBe(labNamed("1"));
  expect(() => labNamed("11")).toThrow(expect.objectContaining({ code: "NOT_FOUND" }));
  expect(() => labNamed("hig-watermark")).toThrow(
    expect.objectContaining({ code: "NOT_FOUND", hint: "did you mean high-watermark?" }),
  );
});

test("each kind of line is told from the others", () => {
  const script =
    "# told\n? asked\n$ minikafka-broker --data lab\n> step isr\na> produce orders\na< text\n~ seen\n! kill -9";
  expect(linesOf(script)).toEqual([
    { kind: "told", text: "told" },
    { kind: "asked", text: "asked" },
    { kind: "broker", text: "minikafka-broker --data lab" },
    { kind: "command", terminal: "", text: "step isr" },
    { kind: "command", terminal: "a", text: "produce orders" },
    { kind: "typed", terminal: "a", text: "text" },
    { kind: "awaited", text: "seen" },
    { kind: "befallen", text: "kill -9" },
  ]);
  expect(() => linesOf("step isr")).toThrow("no line of a lab: step isr");
});

test("words are a shell's: in quotes of either kind they keep their blanks, and may be empty", () => {
  expect(wordsOf(`raw '{"a":"b c"}' -v "x y" ''`)).toEqual(["raw", '{"a":"b c"}', "-v", "x y", ""]);
});

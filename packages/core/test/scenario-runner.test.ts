/** What a scenario cannot say, and what its runner notices. */
import { expect, test } from "vitest";
import { play } from "./scenario-runner/play.ts";

const BROKER = "$ minikafka-broker --data ./lab --clock manual --brokers 2\n";
const TOPIC = `${BROKER}> topics create orders -r 2\n`;

function reasonOf(error: unknown): string {
  return error instanceof Error ? `${error.message}: ${reasonOf(error.cause)}` : "";
}

test.each([
  [
    "a command that there is not",
    `${BROKER}> elect orders\n`,
    "line 2: > elect orders: there is no such command",
  ],
  [
    "an option that it does not take",
    `${BROKER}> topics create orders --fast\n`,
    "--fast is no option of topics create",
  ],
  ["an argument too many", `${BROKER}> step isr orders payments\n`, "step isr: payments is too much"],
  ["an argument too few", `${BROKER}> topics create\n`, "<topic> is missing"],
  ["an operation that there is not", `${BROKER}> raw '{"operation":"elect"}'\n`, "no operation elect"],
  [
    "a field that it does not have",
    `${BROKER}> raw '{"operation":"init_producer","nme":"a"}'\n`,
    "has no field nme",
  ],
  ["a wait that nobody can end", `${TOPIC}> produce orders -v a --acks all\n`, "terminal of its own"],
  ["a second command in a busy terminal", `${TOPIC}a> produce orders\na> produce orders\n`, "is busy"],
  ["text that nothing reads", `${TOPIC}a< created\n`, "nothing in terminal a reads"],
  [
    "a flag that the broker does not have",
    "$ minikafka-broker --data ./lab --clock manual --fast\n",
    "no option",
  ],
  ["a clock that goes by itself", "$ minikafka-broker --data ./lab\n", "--clock manual"],
  ["a command with no broker", "> topics create orders\n", "no broker runs"],
  ["what befalls no machine", `${BROKER}! flood\n`, "no such thing"],
  ["a line of no kind", "produce orders\n", "line 1 is no line of a scenario"],
  [
    "an expectation of nothing that was done",
    "# prose\n    partition 0, offset 0\n",
    "line 2 is expected of nothing",
  ],
])("%s is refused", async (_, text, reason) => {
  const problem = await play(text).catch((error: unknown) => error);
  expect(reasonOf(problem)).toContain(reason);
});

test("what was expected and is not shown any more is gone from the text, and what is new is there", async () => {
  const text = `${TOPIC}    created topic payments\n# prose stays\n\n> fetch orders -e\n`;
  expect(await play(text)).toBe(
    `${TOPIC}    created topic orders, partitions 1, replicas 2\n# prose stays\n\n> fetch orders -e\n    % reached the end of orders: 0 records\n`,
  );
});

test("two plays of one scenario show the same", async () => {
  const text = `${TOPIC}a> produce orders -v a --acks all\n> step replicate\n! kill -9\n${BROKER}> replicas orders\n`;
  expect(await play(text)).toBe(await play(text));
});

test("an answer that comes later stands under the act that brought it, by the name of its terminal", async () => {
  const shown = await play(`${TOPIC}a> produce orders -v a --acks all\n> step replicate orders\n`);
  expect(shown.split("> step replicate orders\n")[1]).toContain("    a: partition 0, offset 0\n");
});

test("where two brokers differ each says what it shows, and what is the same is said once", async () => {
  const brokers = ["one", "two"].map((name, index) => {
    return `$ minikafka-broker --data ${name} --clock manual --brokers ${index + 1}\n`;
  });
  const shown = await play(`${brokers.join("")}> topics create orders -r 2\n> step isr\n`);
  expect(shown).toContain(
    [
      "    one | INVALID_CONFIG: replication_factor is 2; expected at most 1, the number of brokers",
      "    two | created topic orders, partitions 1, replicas 2",
      "> step isr",
      "    % nobody left or joined",
      "",
    ].join("\n"),
  );
});

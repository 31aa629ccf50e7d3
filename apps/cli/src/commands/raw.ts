/** `raw`: request lines as they are, answers as they come. What the protocol page shows can be typed here. */
import type { Command } from "commander";
import type { Perform } from "../context.ts";
import { examples } from "../output/examples.ts";
import { addSharedOptions } from "../settings.ts";

export function declareRaw(program: Command, perform: Perform): void {
  const command = program
    .command("raw")
    .summary("send protocol requests as JSON and print the answers")
    .description(
      "Sends each REQUEST, or each line of stdin when there is none, as it is and prints each answer on a line. " +
        "An answer with ok:false is data like any other, but the exit code is that of the first one.",
    )
    .argument("[request...]", `one JSON object each, such as '{"operation":"ping"}'`)
    .action((requests: string[], _options: unknown, self: Command) =>
      perform(self, async (context) => {
        const { raw } = await import("../raw/raw.ts");
        return raw(context, requests);
      }),
    );
  addSharedOptions(command).addHelpText(
    "after",
    examples(
      [
        `minikafka-cli raw '{"operation":"hello"}'`,
        `minikafka-cli raw '{"operation":"fetch","topic":"orders","partition":0,"offset":0}'`,
        "minikafka-cli raw < requests.jsonl",
      ],
      "Waits for as many answers as there were requests; --timeout bounds the wait for each.",
    ),
  );
}

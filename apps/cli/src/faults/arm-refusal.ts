/** Why a fault cannot be armed, in the words of the command line: the broker speaks of its protocol's fields. */

import { CliError, type Failure } from "../failure.ts";

const FLAGS: { readonly [field: string]: string } = {
  code: "--code",
  errno: "--errno",
  bytes_written: "--bytes-written",
  delay_ms: "--delay",
  topic: "--topic",
  partition: "--partition",
  broker_id: "--broker-id",
  group_id: "--group",
  transactional_id: "--transactional-id",
  "times.nth": "--nth",
  "times.first": "--first",
  "times.probability": "--probability",
  "times.seed": "--seed",
};

export function armRefusal({ message, details }: Failure): CliError {
  const [, field = "", rest = message] = /^([a-z_.]+): (.*)$/s.exec(message) ?? [];
  const said = `${FLAGS[field] ?? field}${field === "" ? "" : ": "}${rest}`;
  return new CliError("INVALID_REQUEST", inFlags(said), { details });
}

function inFlags(text: string): string {
  return text
    .replace(/list_faults names all points/, "minikafka-cli fault points lists them")
    .replaceAll(
      /\b(?:drop_answer|close_after|broker_id|group_id|transactional_id|errno|bytes_written|delay_ms)\b/g,
      (name) => (FLAGS[name] ?? name).replaceAll("_", "-"),
    );
}

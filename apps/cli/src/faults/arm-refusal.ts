/** Why a fault cannot be armed, in the words of the command line: the broker speaks of its protocol's fields. */

import { nearest } from "@minikafka/record";
import { CliError, type Failure } from "../failure.ts";
import type { FaultOrder } from "./fault-text.ts";

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

/** `codes`: those that an answer may have. */
export function armRefusal(
  { message, details }: Failure,
  order: FaultOrder,
  codes: readonly string[],
): CliError {
  const [, field = "", rest = message] = /^([a-z_.]+): (.*)$/s.exec(message) ?? [];
  const said = `${FLAGS[field] ?? field}${field === "" ? "" : ": "}${rest}`;
  const meant = codeMeant(field, order, codes);
  return new CliError("INVALID_REQUEST", inFlags(said), {
    details,
    ...(meant === null ? {} : { hint: `did you mean ${meant}?` }),
  });
}

function inFlags(text: string): string {
  return text
    .replace(/list_faults names all points/, "minikafka-cli fault points lists them")
    .replaceAll(/\b(?:drop_answer|close_after|broker_id|group_id|transactional_id)\b/g, (name) =>
      (FLAGS[name] ?? name).replaceAll("_", "-"),
    );
}

/** Kafka's NONE is the number of success, and no fault. */
function codeMeant(field: string, { code }: FaultOrder, codes: readonly string[]): string | null {
  if (field !== "code" || code === undefined) return null;
  return nearest(
    code,
    codes.filter((known) => known !== "NONE"),
  );
}

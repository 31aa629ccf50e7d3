/** Why a fault cannot be armed, in the words of the command line: the broker speaks of its protocol's fields. */
import { CliError, type Failure } from "../failure.ts";
import { nearest } from "../input/nearest.ts";
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

/** `points`: the names of those that there are; `codes`: those of the error table. */
export function armRefusal(
  { message, details }: Failure,
  order: FaultOrder,
  known: { readonly points: readonly string[]; readonly codes: readonly string[] },
): CliError {
  const [, field = "", rest = message] = /^([a-z_.]+): (.*)$/s.exec(message) ?? [];
  const said = `${FLAGS[field] ?? field}${field === "" ? "" : ": "}${rest}`;
  const meant =
    field === "point" ? pointMeant(order.point, known.points) : codeMeant(field, order, known.codes);
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

/** An operation's name alone is what many type first. */
function pointMeant(point: string, points: readonly string[]): string | null {
  return nearest(point, points) ?? nearest(`request.${point}`, points);
}

function codeMeant(field: string, { code }: FaultOrder, codes: readonly string[]): string | null {
  return field === "code" && code !== undefined ? nearest(code, codes) : null;
}

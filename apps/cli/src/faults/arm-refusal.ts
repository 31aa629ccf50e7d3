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

/** An operation's name alone is what many type first. Behind a first part that there is, only the rest may be wrong. */
function pointMeant(point: string, points: readonly string[]): string | null {
  const first = point.slice(0, point.indexOf(".") + 1);
  const behind = points.filter((name) => first !== "" && name.startsWith(first));
  if (behind.length === 0) return nearest(point, points) ?? nearest(`request.${point}`, points);
  const rest = nearest(
    point.slice(first.length),
    behind.map((name) => name.slice(first.length)),
  );
  return rest === null ? null : `${first}${rest}`;
}

/** Kafka's NONE is the number of success, and no fault. */
function codeMeant(field: string, { code }: FaultOrder, codes: readonly string[]): string | null {
  if (field !== "code" || code === undefined) return null;
  return nearest(
    code,
    codes.filter((known) => known !== "NONE"),
  );
}

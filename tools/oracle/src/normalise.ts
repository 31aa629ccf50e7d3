/**
 * What is told by a broker, as a value that can be compared with another broker's: error numbers by name, lists by what their
 * elements are called, bytes as text; ids, addresses and times of the day, which must differ, by what they are.
 */
import { kafkaErrorName } from "@minikafka/protocol/kafka";
import { readBatches } from "./batches.ts";

export type Plain = null | boolean | number | string | readonly Plain[] | { readonly [name: string]: Plain };

/** Values of one side that have a name in the script, by what they are and by themselves. */
export class Aliases {
  readonly #known = new Map<string, string>();
  /** What is added to every name of this pass, and is not shown. */
  readonly suffix: string;

  constructor(suffix = "") {
    this.suffix = suffix;
  }

  /** From now on `value`, as a value of this kind, is shown by `name`. */
  name(kind: IdKind, value: string | number, name: string): void {
    this.#known.set(`${kind} ${value}`, `<${name}>`);
  }

  nameOf(kind: IdKind, value: string | number): string {
    return this.#known.get(`${kind} ${value}`) ?? `<a ${kind}>`;
  }

  text(value: string): string {
    return this.suffix === "" ? value : value.replaceAll(this.suffix, "");
  }
}

export type IdKind = "member" | "topic id" | "producer id" | "cluster" | "session";

const IDS: { readonly [field: string]: IdKind } = {
  memberId: "member",
  leader: "member",
  topicId: "topic id",
  producerId: "producer id",
  clusterId: "cluster",
  sessionId: "session",
};

/** What stands for no id. */
const NO_ID: ReadonlySet<unknown> = new Set([null, "", -1, 0, "00000000-0000-0000-0000-000000000000"]);

const ERRORS: ReadonlySet<string> = new Set(["errorCode", "partitionErrorCode", "topicConfigErrorCode"]);
/** Each broker says it in its own words. */
const WORDS: ReadonlySet<string> = new Set(["errorMessage", "batchIndexErrorMessage", "documentation"]);
const SIZES: ReadonlySet<string> = new Set(["totalBytes", "usableBytes", "partitionSize"]);
/** From here on a number is a time of these days. */
const THESE_DAYS_MS = 1e12;
const TIMES: ReadonlySet<string> = new Set([
  ...["timestamp", "maxTimestamp", "logAppendTimeMs", "lastTimestamp", "transactionStartTimeMs"],
]);

/** By which field elements of a list are told apart, the first that they have. */
const KEYS = [
  ...["apiKey", "name", "topic", "groupId", "key", "partitionIndex", "partition", "index", "batchIndex"],
  ...["transactionalId", "resourceName", "brokerId", "nodeId", "memberId", "topicId", "producerId", "logDir"],
] as const;

function scalar(field: string, value: string | number | boolean | null, aliases: Aliases): Plain {
  const kind = IDS[field];
  // A producer id may be 0, no other id is.
  const isNone = NO_ID.has(value) && !(kind === "producer id" && value === 0);
  if (kind !== undefined && !isNone && (typeof value === "string" || typeof value === "number"))
    return aliases.nameOf(kind, value);
  if (ERRORS.has(field) && typeof value === "number") return kafkaErrorName(value) ?? value;
  if (WORDS.has(field)) return value === null || value === "" ? null : "<words>";
  if (field === "host" && value !== "") return "<host>";
  if (field === "port" && value !== -1) return "<port>";
  if (field === "logDir") return "<folder>";
  if (SIZES.has(field) && typeof value === "number" && value > 0) return "<bytes>";
  if (TIMES.has(field) && typeof value === "number" && value > THESE_DAYS_MS) return "<now>";
  return typeof value === "string" ? aliases.text(value) : value;
}

function bytesAsText(bytes: Buffer, aliases: Aliases): Plain {
  const text = bytes.toString("utf8");
  const isText = Buffer.from(text).equals(bytes) && !/\p{Cc}/u.test(text);
  return isText ? aliases.text(text) : `0x${bytes.toString("hex")}`;
}

function keyOf(element: Plain): string | null {
  if (element === null || typeof element !== "object" || Array.isArray(element)) return null;
  const fields = element as { readonly [name: string]: Plain };
  const found = KEYS.find(
    (name) => fields[name] !== undefined && fields[name] !== null && fields[name] !== "",
  );
  return found === undefined ? null : String(fields[found]);
}

/** A list as it is, or by the names of its elements: in which order they come nobody has promised. */
function listOf(elements: readonly Plain[]): Plain {
  const keys = elements.map(keyOf);
  if (elements.length === 0 || keys.some((key) => key === null)) return elements;
  const byKey = new Map<string, Plain>();
  for (const [place, element] of elements.entries()) {
    const key = keys[place] ?? "";
    let name = key;
    for (let again = 2; byKey.has(name); again += 1) name = `${key} (${again})`;
    byKey.set(name, element);
  }
  return Object.fromEntries(byKey);
}

/** By where they begin. */
function batchesOf(records: Buffer, aliases: Aliases): Plain {
  const batches = readBatches(records).map((each) => [`at ${each.baseOffset}`, normalise(each, aliases)]);
  return Object.fromEntries(batches);
}

/** `value` of a message, in a form that can be compared. `field`: where it stands. */
export function normalise(value: unknown, aliases: Aliases, field = ""): Plain {
  if (value === undefined) return null;
  if (Buffer.isBuffer(value)) {
    return field === "records" ? batchesOf(value, aliases) : bytesAsText(value, aliases);
  }
  // The order of batches and records, and of a record's headers, is what they are about.
  if (Array.isArray(value)) {
    const elements = value.map((element) => normalise(element, aliases, field));
    return field === "headers" || field === "content" ? elements : listOf(elements);
  }
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, normalise(each, aliases, name)]),
    );
  }
  return scalar(field, value as string | number | boolean | null, aliases);
}

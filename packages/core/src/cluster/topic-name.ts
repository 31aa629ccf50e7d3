/**
 * Which names a topic may have. A name becomes a folder's name, a word of the command line and a line of a log, so that
 * the rules are Kafka's (org.apache.kafka.common.internals.Topic) and two more, for disks that do not tell case apart and
 * for the broker's own topics.
 */
import { LIMITS } from "../limits.ts";
import { quoted } from "../quoted.ts";

const ALLOWED = /^[a-zA-Z0-9._-]+$/;
const REFUSED_CHARACTER = /[^a-zA-Z0-9._-]/u;

/** Kafka keeps two underscores for its internal topics as well (`__consumer_offsets`). */
const INTERNAL_PREFIX = "__";

/** Why no topic at all may be called `name`, or `null`. */
export function topicNameProblem(name: string): string | null {
  if (name.length === 0) return "a topic's name is empty; expected at least one character";
  if (name.length > LIMITS.topicNameLengthMax) {
    return `a topic's name has ${name.length} characters; expected at most ${LIMITS.topicNameLengthMax}`;
  }
  if (name === "." || name === "..") return `a topic cannot be called ${quoted(name)}, which names a folder`;
  if (ALLOWED.test(name)) return null;
  const at = name.search(REFUSED_CHARACTER);
  const character = quoted(String.fromCodePoint(name.codePointAt(at) ?? 0));
  return `${quoted(name)} has ${character} at position ${at}; a topic's name takes a-z, A-Z, 0-9, ".", "_" and "-"`;
}

/** True for names that only the broker itself may give. */
export function isInternalTopic(name: string): boolean {
  return name.startsWith(INTERNAL_PREFIX);
}

/**
 * Equal for two names that cannot live side by side: `a.b` and `a_b`, which Kafka's metrics cannot tell apart, and names
 * that differ in case only, whose folders would be one on many a disk.
 */
export function collisionKey(name: string): string {
  return name.toLowerCase().replaceAll(".", "_");
}

/** What somebody meant by a name that no setting has: Kafka's name of one, a topic's setting, or one with a slip of the pen. */
import { topicSettingMeant } from "@minikafka/core";
import { nearest } from "@minikafka/record";
import { KAFKA_SETTINGS } from "./settings.ts";

/** `setting`: of the daemon, which Kafka calls so; `near`: of the daemon, written nearly so; `topic`: each topic has it. */
export interface MeantSetting {
  readonly as: "setting" | "near" | "topic";
  /** More than one where what one setting of Kafka's says takes several here. */
  readonly names: readonly string[];
}

/** `null` where nothing is near enough to be meant. */
export function settingMeant(name: string): MeantSetting | null {
  const names = OF_KAFKA.get(name);
  if (names !== undefined) return { as: "setting", names };
  const ofTopic = topicSettingMeant(name);
  // The daemon's own, where both have one of that name.
  if (ofTopic !== null && !Object.hasOwn(KAFKA_SETTINGS, ofTopic)) return { as: "topic", names: [ofTopic] };
  const near = nearest(name, Object.keys(KAFKA_SETTINGS));
  return near === null ? null : { as: "near", names: [near] };
}

/** In words, empty where nothing can be said; `areCertain`: of each name, and nobody needs to see all that there are. */
export function meantSettings(names: readonly string[]): {
  readonly said: string;
  readonly areCertain: boolean;
} {
  const found = names.map((name) => ({ name, meant: settingMeant(name) }));
  const near = found.flatMap(({ meant }) => (meant?.as === "near" ? meant.names : []));
  const certain = found.flatMap(({ name, meant }) =>
    meant === null || meant.as === "near" ? [] : [sentence(name, meant)],
  );
  const asked = near.length === 0 ? [] : [`did you mean ${near.join(", ")}?`];
  return { said: [...certain, ...asked].join("; "), areCertain: certain.length === names.length };
}

function sentence(name: string, { as, names }: MeantSetting): string {
  const [only = ""] = names;
  return as === "topic"
    ? `${only} is a setting of each topic here, said when one is created`
    : `Kafka's ${name} is ${names.join(" or ")} here`;
}

/** Kafka's names stand in the table before what is said of their values there. */
function namesOfKafka(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const [ours, text] of Object.entries(KAFKA_SETTINGS)) {
    const [named = ""] = (text ?? "").split(":");
    for (const [, kafkas = ""] of named.matchAll(/`([^`]+)`/g))
      found.set(kafkas, [...(found.get(kafkas) ?? []), ours]);
  }
  return found;
}

const OF_KAFKA = namesOfKafka();

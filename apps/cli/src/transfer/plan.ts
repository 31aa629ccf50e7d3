/** What a transfer of one topic would do, and whether it can: asked before anything is changed. */
import { CliError } from "../failure.ts";
import { type Bounds, boundsOf } from "../kafka-cluster/offsets.ts";
import {
  type LeftOut,
  type NewTopic,
  ownSettings,
  type Setting,
  settingsRefused,
  type TopicShape,
  topicShape,
} from "../kafka-cluster/topics.ts";
import type { Ends } from "./ends.ts";
import type { Journal } from "./journal.ts";
import type { TransferOptions } from "./transfer-options.ts";

export interface TopicPlan {
  readonly source: TopicShape;
  readonly targetTopic: string;
  /** `null`: it will be made, as `wanted` says. */
  readonly target: TopicShape | null;
  readonly wanted: NewTopic;
  readonly leftOut: readonly LeftOut[];
  /** By partition. */
  readonly bounds: readonly Bounds[];
  readonly journal: Journal | null;
}

const AFTERWARDS =
  "the records keep the times that they have; set it there when all is copied, if it is wanted";
/** What would change the records, or have them refused, while they are copied. */
const NOT_COPIED: { readonly [name: string]: string } = {
  "message.timestamp.type": AFTERWARDS,
  "min.insync.replicas":
    "how many replicas there are is another matter there; --replicas names it, and the cluster has a default",
};
/** Those that say which brokers do what. */
const OF_PLACES = /\.throttled\.replicas$|^remote\.|^local\.retention\./;

/** Throws UNKNOWN_TOPIC. */
export async function sourceShape({ source }: Ends, topic: string): Promise<TopicShape> {
  const found = await topicShape(source, topic);
  if (found !== null) return found;
  throw new CliError("UNKNOWN_TOPIC", `there is no topic ${topic} at ${source.where}`, {
    hint: "names are spelt there as here; is it the right cluster?",
    details: { topic },
  });
}

/** Throws UNKNOWN_TOPIC of the target, and COPY_DIFFERS where there is something else already. */
export async function planOf(
  { source, target }: Ends,
  found: TopicShape,
  options: TransferOptions,
  journal: Journal | null,
): Promise<TopicPlan> {
  const { topic } = found;
  const targetTopic = options.as ?? topic;
  const there = await topicShape(target, targetTopic);
  requireFit(found, there, { targetTopic, where: target.where, options });
  if (journal !== null) requireSame(journal, found, there, target.where);
  const bounds: Bounds[] = [];
  for (let partition = 0; partition < found.partitions; partition += 1)
    bounds.push(await boundsOf(source, { topic, partition }));
  const settings = await ownSettings(source, topic);
  const chosen = settings.filter(({ name }) => whyNot(name) === null);
  const wanted = {
    topic: targetTopic,
    partitions: found.partitions,
    replicas: options.replicas ?? -1,
    settings: chosen,
  };
  const refused = there === null ? await settingsRefused(target, wanted) : [];
  const leftOut = [...settings.flatMap(leftOutOf), ...refused];
  const taken = chosen.filter(({ name }) => !refused.some((each) => each.name === name));
  return {
    ...{ source: found, targetTopic, target: there, bounds, journal },
    wanted: { ...wanted, settings: taken },
    leftOut: there === null ? leftOut : [],
  };
}

function whyNot(name: string): string | null {
  return NOT_COPIED[name] ?? (OF_PLACES.test(name) ? "it is about the brokers of its cluster" : null);
}

function leftOutOf(setting: Setting): LeftOut[] {
  const why = whyNot(setting.name);
  return why === null ? [] : [{ ...setting, why }];
}

interface Wanted {
  readonly targetTopic: string;
  readonly where: string;
  readonly options: TransferOptions;
}

function requireFit(
  source: TopicShape,
  target: TopicShape | null,
  { targetTopic, where, options }: Wanted,
): void {
  if (target === null) {
    if (options.create === "if-missing") return;
    throw new CliError("UNKNOWN_TOPIC", `there is no topic ${targetTopic} at ${where}, and --create is no`, {
      hint: `create it there with ${source.partitions} partitions, or leave --create out`,
      details: { topic: targetTopic },
    });
  }
  if (target.partitions === source.partitions) return;
  throw new CliError(
    "COPY_DIFFERS",
    `${targetTopic} has ${target.partitions} partitions at ${where}; expected ${source.partitions}, as many as ${source.topic}: a key would be in another partition than here`,
    { hint: fitHint(source, target) },
  );
}

function fitHint({ partitions }: TopicShape, target: TopicShape): string {
  const { topic } = target;
  const other = "--as NAME copies to a topic of another name, which is created like this one";
  if (target.partitions > partitions) return other;
  return `give it ${partitions} partitions there (kafka-topics.sh --alter --topic ${topic} --partitions ${partitions}, or minikafka-cli topics grow ${topic} ${partitions}), and the same command goes on; or ${other}`;
}

/** A name says little: a topic that was deleted and made again is another one. */
function requireSame({ head }: Journal, source: TopicShape, target: TopicShape | null, where: string): void {
  const hint =
    "remove the state of this transfer (--dry-run names the file) and what is there of the copy, and begin anew";
  if (head.source.topic_id !== source.topicId)
    throw new CliError("COPY_DIFFERS", `${source.topic} was deleted and created again since it was copied`, {
      hint,
    });
  if (target === null)
    throw new CliError("COPY_DIFFERS", `${head.target.topic} was copied in part, and is gone at ${where}`, {
      hint,
    });
  if (head.target.topic_id !== target.topicId)
    throw new CliError(
      "COPY_DIFFERS",
      `${head.target.topic} at ${where} was deleted and created again since it was copied`,
      { hint },
    );
}

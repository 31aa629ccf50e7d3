/** The names that a line may go on with: a running broker's, and those that this program knows. */
import { systemClock } from "@minikafka/client";
import { EVENTS, REQUEST_EVENTS } from "@minikafka/protocol";
import { ERRORS } from "@minikafka/protocol/errors";
import { SHEET_TEXTS } from "../cheat/sheet-texts.ts";
import type { Context } from "../context.ts";
import { readContexts } from "../contexts/context-file.ts";
import { contextsFile } from "../contexts/context-place.ts";
import { type Target, targetOf } from "../contexts/target.ts";
import { brokerText, parseBroker, parseTimeout } from "../input/arguments.ts";
import { LABS } from "../labs/labs.ts";
import { counted } from "../log/sizes-text.ts";
import { type Session, withSession } from "../session.ts";
import type { Candidate, NamesOf } from "./candidates.ts";
import type { LiveKind, OwnKind } from "./kinds.ts";
import type { TypedLine } from "./typed-line.ts";

/** Whoever has pressed a key is waiting: for the connection and the answers together. */
const PATIENCE_DEFAULT_MS = 400;
const PATIENCE_VARIABLE = "MINIKAFKA_COMPLETION_TIMEOUT";

/** Asks the broker that the line names, else that of the context, and takes no answer for none. */
export function namesFrom(context: Context): NamesOf {
  return async (kind, line) => {
    try {
      if (isOwn(kind)) return OWN[kind](context);
      return await hurried(context, line, (quick) => liveNames(quick, kind, line));
    } catch {
      return [];
    }
  };
}

const OWN: { readonly [Own in OwnKind]: (context: Context) => readonly Candidate[] } = {
  labs: () => LABS.map(({ name, title }) => ({ word: name, about: title })),
  contexts: ({ env }) =>
    [...readContexts(contextsFile(env)).addresses].map(([name, address]) => ({
      word: name,
      about: brokerText(address),
    })),
  sheets: () => SHEET_TEXTS.map(({ name, title }) => ({ word: name, about: title })),
  "event kinds": () =>
    Object.entries({ ...EVENTS, ...REQUEST_EVENTS }).map(([word, [about]]) => ({ word, about })),
  "error codes": () => Object.entries(ERRORS).map(([word, { sentence }]) => ({ word, about: sentence })),
};

function isOwn(kind: LiveKind | OwnKind): kind is OwnKind {
  return kind in OWN;
}

/** What `work` finds, unless it takes too long. */
async function hurried<T>(
  context: Context,
  line: TypedLine,
  work: (context: Context) => Promise<T>,
): Promise<T> {
  const broker = () => targetOn(line, context);
  const given = context.env[PATIENCE_VARIABLE];
  const timeoutMs = given === undefined ? PATIENCE_DEFAULT_MS : parseTimeout(given);
  const late = new AbortController();
  const cancel = systemClock.after(timeoutMs, () => late.abort());
  const interrupted = AbortSignal.any([context.interrupted, late.signal]);
  try {
    return await work({ ...context, interrupted, settings: { ...context.settings, broker, timeoutMs } });
  } finally {
    cancel();
  }
}

function targetOn({ values }: TypedLine, { env }: Context): Target {
  const text = values.get("--broker");
  const broker = text === undefined ? undefined : parseBroker(text);
  return targetOf({ broker, context: values.get("--context") }, env);
}

async function liveNames(context: Context, kind: LiveKind, line: TypedLine): Promise<readonly Candidate[]> {
  let names: readonly Candidate[] = [];
  await withSession(context, async (session) => {
    names = await LIVE[kind](session, line);
    return undefined;
  });
  return names;
}

const LIVE: {
  readonly [Live in LiveKind]: (session: Session, line: TypedLine) => Promise<readonly Candidate[]>;
} = {
  topics: async (session) => {
    const { topics } = await session.call("list_topics", {});
    return topics.map(({ topic, partitions }) => ({ word: topic, about: counted(partitions, "partition") }));
  },
  partitions: async (session, line) => {
    const named = topicOn(line);
    const { topics } = await session.call("list_topics", {});
    const count = topics.find(({ topic }) => topic === named)?.partitions ?? 0;
    return Array.from({ length: count }, (_, partition) => ({ word: String(partition) }));
  },
  groups: async (session) => {
    const { groups } = await session.call("list_groups", {});
    return groups.map(({ group_id, state }) => ({ word: group_id, about: state }));
  },
  "transactional ids": async (session) => {
    const { transactions } = await session.call("list_transactions", {});
    return transactions.map(({ transactional_id, state }) => ({ word: transactional_id, about: state }));
  },
  brokers: async (session) => {
    const { brokers } = await session.call("describe_cluster", {});
    return brokers.map(({ broker_id, state }) => ({ word: String(broker_id), about: state }));
  },
  snapshots: async (session) => {
    const { snapshots } = await session.call("list_snapshots", {});
    return snapshots.map(({ name }) => ({ word: name }));
  },
  "fault points": async (session) => {
    const { points } = await session.call("list_faults", {});
    return points.map(({ point, actions }) => ({ word: point, about: actions.join(", ") }));
  },
  "fault actions": async (session, { given }) => {
    const { points } = await session.call("list_faults", {});
    const actions = points.find(({ point }) => point === given[0])?.actions ?? [];
    return actions.map((action) => ({ word: action.replaceAll("_", "-") }));
  },
  faults: async (session) => {
    const { rules } = await session.call("list_faults", {});
    return rules.map(({ rule_id, point }) => ({ word: String(rule_id), about: point }));
  },
};

/** The one that a partition is meant of. */
function topicOn({ values, given }: TypedLine): string | undefined {
  return values.get("--topic") ?? given[0];
}

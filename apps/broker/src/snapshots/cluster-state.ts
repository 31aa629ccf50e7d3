/** The whole of a cluster as JSON, as its own answers describe it. */
import type { Replay } from "./replay.ts";

type Fields = { readonly [name: string]: unknown };

/** Some answers are lists of names, of which each is asked for. */
export async function clusterState(replay: Pick<Replay, "ask">): Promise<Fields> {
  const ask = async (operation: string, fields: object = {}): Promise<Fields> => {
    const { ok: _ok, ...answer } = (await replay.ask({ operation, ...fields })) ?? { waits: true };
    return answer;
  };
  const named = async (
    list: string,
    entries: string,
    name: string,
    describe: (each: Fields) => Promise<Fields>,
  ) => {
    const found = ((await ask(list))[entries] ?? []) as Fields[];
    const described: [string, Fields][] = [];
    for (const each of found) described.push([String(each[name]), await describe(each)]);
    return Object.fromEntries(described);
  };
  const topicState = async ({ topic, partitions }: Fields) => {
    const described: [string, Fields][] = [];
    for (let partition = 0; partition < Number(partitions); partition += 1)
      described.push([String(partition), byBroker(await ask("describe_partition", { topic, partition }))]);
    const { config } = await ask("describe_config", { topic });
    return { config, partitions: Object.fromEntries(described) };
  };
  const groupState = async ({ group_id }: Fields) => ({
    ...(await ask("describe_group", { group_id })),
    ...(await ask("fetch_offsets", { group_id })),
  });
  const { brokers, dials, now_ms, http_port: _place, ...cluster } = await ask("describe_cluster");
  return {
    now_ms,
    cluster: { ...cluster, brokers: keyed(unplaced(brokers), "broker_id") },
    topics: await named("list_topics", "topics", "topic", topicState),
    groups: await named("list_groups", "groups", "group_id", groupState),
    transactions: await named(
      "list_transactions",
      "transactions",
      "transactional_id",
      ({ transactional_id }) => ask("describe_transaction", { transactional_id }),
    ),
    faults: (await ask("list_faults")).rules,
  };
}

function byBroker(partition: Fields): Fields {
  return { ...partition, replicas: keyed(partition.replicas, "broker_id") };
}

/** Ports are those of a process, and another one has others. */
function unplaced(brokers: unknown): unknown {
  if (!Array.isArray(brokers)) return brokers;
  return brokers.map(({ kafka: _place, ...broker }: Fields) => broker);
}

/** So that one that is missing shifts no others. */
function keyed(list: unknown, name: string): unknown {
  if (!Array.isArray(list)) return list;
  return Object.fromEntries(list.map((each: Fields) => [String(each[name]), each]));
}

/** The two clusters of a transfer. The broker's own is asked, on its port for lines of JSON, where Kafka's clients reach it. */
import type { Context } from "../context.ts";
import { CliError } from "../failure.ts";
import { brokerText } from "../input/arguments.ts";
import type { ClusterAddress } from "../kafka-cluster/cluster-address.ts";
import { KafkaLink } from "../kafka-cluster/kafka-link.ts";
import { readSecurity, type Security } from "../kafka-cluster/security.ts";
import { withSession } from "../session.ts";
import { TIMEOUT_DEFAULT_MS } from "../settings.ts";
import type { TransferOptions } from "./transfer-options.ts";

export interface Ends {
  readonly source: KafkaLink;
  readonly target: KafkaLink;
}

const PLAIN: Security = {};

/** Connects to both, works, and leaves nothing behind. `remote` is the side of which --kafka-config speaks. */
export async function withEnds<Result>(
  context: Context,
  { from, to, kafkaConfig }: TransferOptions,
  remote: "source" | "target",
  work: (ends: Ends) => Promise<Result>,
): Promise<Result> {
  const security = kafkaConfig === undefined ? PLAIN : readSecurity(kafkaConfig);
  const own = from === undefined || to === undefined ? await ownAddress(context) : null;
  const addresses = { source: from ?? own, target: to ?? own };
  const open = async (side: "source" | "target"): Promise<KafkaLink> => {
    const address = addresses[side];
    if (address === null) throw new CliError("USAGE", "both ends are missing");
    return await KafkaLink.open({
      address,
      security: side === remote ? security : PLAIN,
      timeoutMs: context.settings.timeoutMs ?? TIMEOUT_DEFAULT_MS,
      signal: context.interrupted,
    });
  };
  const source = await open("source");
  try {
    const target = await open("target");
    try {
      return await work({ source, target });
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Throws CONNECTION where Kafka's clients have no port. */
async function ownAddress(context: Context): Promise<ClusterAddress> {
  const found: { brokers: ClusterAddress["brokers"] } = { brokers: [] };
  await withSession(context, async (session) => {
    const { brokers } = await session.call("describe_cluster", {});
    found.brokers = brokers.flatMap(({ kafka, state }) =>
      kafka === null || state !== "running" ? [] : [kafka],
    );
    return undefined;
  });
  if (found.brokers.length > 0) return found;
  const message = `the broker at ${brokerText(context.settings.broker().address)} has no port for Kafka's clients, by which records are copied`;
  throw new CliError("CONNECTION", message, {
    hint: "start it again with --kafka-port 9092; nothing in its data folder changes by that",
  });
}

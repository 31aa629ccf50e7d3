/** The two clusters of a transfer. */
import type { Context } from "../context.ts";
import { CliError } from "../failure.ts";
import { KafkaLink } from "../kafka-cluster/kafka-link.ts";
import { ownCluster } from "../kafka-cluster/own-cluster.ts";
import { readSecurity, type Security } from "../kafka-cluster/security.ts";
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
  const own = from === undefined || to === undefined ? await ownCluster(context) : null;
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

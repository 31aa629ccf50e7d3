/** Where Kafka's clients reach the broker that the command line speaks to: it is asked on its port for lines of JSON. */
import type { Context } from "../context.ts";
import { CliError } from "../failure.ts";
import { brokerText } from "../input/arguments.ts";
import { withSession } from "../session.ts";
import type { ClusterAddress } from "./cluster-address.ts";

/** Those of its brokers that run. Throws CONNECTION where Kafka's clients have no port. */
export async function ownCluster(context: Context): Promise<ClusterAddress> {
  const found: { brokers: ClusterAddress["brokers"] } = { brokers: [] };
  await withSession(context, async (session) => {
    const { brokers } = await session.call("describe_cluster", {});
    found.brokers = brokers.flatMap(({ kafka, state }) =>
      kafka === null || state !== "running" ? [] : [kafka],
    );
    return undefined;
  });
  if (found.brokers.length > 0) return found;
  const message = `the broker at ${brokerText(context.settings.broker().address)} has no port for Kafka's clients, which this needs`;
  throw new CliError("CONNECTION", message, {
    hint: "start it again with --kafka-port 9092; nothing in its data folder changes by that",
  });
}

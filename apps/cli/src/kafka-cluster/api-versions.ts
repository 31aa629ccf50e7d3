/** The work of `api`: one question to one broker of a cluster, and what it leaves out. */
import type { Context } from "../context.ts";
import { renderTable } from "../output/table.ts";
import { TIMEOUT_DEFAULT_MS } from "../settings.ts";
import { version } from "../version.ts";
import type { ClusterAddress } from "./cluster-address.ts";
import { KafkaLink } from "./kafka-link.ts";
import { ownCluster } from "./own-cluster.ts";
import { readSecurity } from "./security.ts";

export interface AskedCluster {
  /** Left out: the broker's own. */
  readonly kafka?: ClusterAddress;
  /** The path of a client.properties. */
  readonly kafkaConfig?: string;
}

interface ServedApi {
  readonly key: number;
  readonly name: string;
  readonly minVersion: number;
  readonly maxVersion: number;
}

interface Apis {
  readonly where: string;
  /** By key. */
  readonly served: readonly ServedApi[];
  /** Every one that the client knows, by key. */
  readonly known: ReadonlyMap<number, string>;
}

/** Rejects with CONNECTION, TIMEOUT and the like. */
export async function printVersions(context: Context, asked: AskedCluster): Promise<undefined> {
  const { where, served } = await apisOf(context, asked);
  await print(context, {
    where,
    document: served.map(({ key, name, minVersion, maxVersion }) => ({
      ...{ key, name, min_version: minVersion, max_version: maxVersion },
    })),
    columns: ["KEY", "API", "MIN-VERSION", "MAX-VERSION"],
    rows: served.map(({ key, name, minVersion, maxVersion }) => [key, name, minVersion, maxVersion]),
  });
  return undefined;
}

/** Rejects as printVersions does. */
export async function printUnsupported(context: Context, asked: AskedCluster): Promise<undefined> {
  const { where, served, known } = await apisOf(context, asked);
  const isServed = new Set(served.map(({ key }) => key));
  const rows = [...known].filter(([key]) => !isServed.has(key));
  const document = rows.map(([key, name]) => ({ key, name }));
  await print(context, { where, document, columns: ["KEY", "API"], rows });
  return undefined;
}

interface Printed {
  readonly where: string;
  readonly document: readonly object[];
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

async function print(
  { settings, data }: Context,
  { where, document, columns, rows }: Printed,
): Promise<void> {
  await (settings.json
    ? data.json({ kafka: where, apis: document })
    : data.write(renderTable(columns, rows)));
}

async function apisOf(context: Context, { kafka, kafkaConfig }: AskedCluster): Promise<Apis> {
  const security = kafkaConfig === undefined ? {} : readSecurity(kafkaConfig);
  const link = await KafkaLink.open({
    address: kafka ?? (await ownCluster(context)),
    security,
    timeoutMs: context.settings.timeoutMs ?? TIMEOUT_DEFAULT_MS,
    signal: context.interrupted,
  });
  try {
    const { apiVersionsV3, protocolAPIsById } = link.kafkaClient;
    const { apiKeys } = await link.ask("asking for the versions", { kind: "any" }, (connection) =>
      apiVersionsV3.api.async(connection, "minikafka-cli", version()),
    );
    const known = new Map(Object.entries(protocolAPIsById).map(([key, name]) => [Number(key), name]));
    const served = apiKeys.map(({ apiKey: key, minVersion, maxVersion }) => ({
      ...{ key, minVersion, maxVersion, name: known.get(key) ?? "" },
    }));
    return { where: link.where, served: served.sort((one, other) => one.key - other.key), known };
  } finally {
    await link.close();
  }
}

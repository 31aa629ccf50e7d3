/** The work of `metrics`: the page of the HTTP port, as a table, a document, or those of its lines that are asked for. */

import { nearest } from "@minikafka/record";
import type { Context } from "../context.ts";
import { CliError } from "../failure.ts";
import { type BrokerAddress, brokerText, HTTP_PORT } from "../input/arguments.ts";
import { renderTable } from "../output/table.ts";
import { withSession } from "../session.ts";
import { TIMEOUT_DEFAULT_MS } from "../settings.ts";
import { type Metric, metricsOf } from "./exposition.ts";
import { httpPage } from "./http-page.ts";

export interface MetricsRequest {
  /** Whole names, or how they begin; of none, all. */
  readonly names: readonly string[];
  /** `null`: the broker knows. */
  readonly http: BrokerAddress | null;
  readonly prom: boolean;
}

/** Throws NOT_FOUND for a name of nothing that is there, once the others are shown, or a broker without that port, and what httpPage throws. */
export async function showMetrics(context: Context, request: MetricsRequest): Promise<undefined> {
  const { settings, interrupted: signal } = context;
  const timeoutMs = settings.timeoutMs ?? TIMEOUT_DEFAULT_MS;
  const http = request.http ?? (await httpOf(context));
  const page = await httpPage(http, "/metrics", { timeoutMs, signal });
  const all = understood(page, http);
  const metrics = chosen(all, request.names);
  await show(context, request, metrics);
  // What is there was asked for all the same.
  requireEach(all, request.names, http);
  return undefined;
}

async function show({ settings, data }: Context, request: MetricsRequest, metrics: readonly Metric[]) {
  if (metrics.length === 0) return;
  if (request.prom) await data.write(metrics.map(({ text }) => text).join(""));
  else if (settings.json) await data.json({ metrics: metrics.map(({ text: _text, ...metric }) => metric) });
  else await data.write(renderTable(["METRIC", "VALUE", "LABELS"], metrics.flatMap(rowsOf)));
}

/** The port listens where the broker does, and is reached by the same name. */
async function httpOf(context: Context): Promise<BrokerAddress> {
  const { address } = context.settings.broker();
  let port: number | null = null;
  await withSession(context, async (session) => {
    ({ http_port: port } = await session.call("describe_cluster", {}));
    return undefined;
  });
  if (port !== null) return { host: address.host, port };
  const said = `the broker at ${brokerText(address)} has no HTTP port, which is where it would tell them`;
  throw new CliError("NOT_FOUND", said, {
    hint: `start it with one, as in minikafka-broker --data ./data --http-port ${HTTP_PORT}; metrics are counted from then on`,
  });
}

function understood(page: string, http: BrokerAddress): readonly Metric[] {
  try {
    const metrics = metricsOf(page);
    if (metrics.length === 0) throw new SyntaxError("it is empty");
    return metrics;
  } catch (error) {
    const said = (error as Error).message;
    throw new CliError("INVALID_ANSWER", `what ${brokerText(http)} answers is no page of metrics: ${said}`);
  }
}

function chosen(metrics: readonly Metric[], names: readonly string[]): readonly Metric[] {
  return names.length === 0
    ? metrics
    : metrics.filter(({ name }) => names.some((each) => name.startsWith(each)));
}

function requireEach(metrics: readonly Metric[], names: readonly string[], http: BrokerAddress): void {
  const absent = names.filter((name) => !metrics.some((metric) => metric.name.startsWith(name)));
  if (absent.length === 0) return;
  const known = metrics.map(({ name }) => name);
  const meant = absent.map((name) => nearest(name, known)).filter((name) => name !== null);
  throw new CliError("NOT_FOUND", `nothing that is told now is called ${absent.join(" or ")}, or begins so`, {
    hint:
      meant.length === 0
        ? `minikafka-cli metrics --http ${brokerText(http)} lists what is told`
        : `did you mean ${meant.join(" ")}?`,
  });
}

function rowsOf({ name, samples }: Metric) {
  return samples.map(({ suffix, labels, value }) => [
    name + suffix,
    value,
    Object.entries(labels)
      .map(([label, text]) => `${label}=${text}`)
      .join(","),
  ]);
}

/** Metrics as text, in the two formats that are scraped: Prometheus's 0.0.4, and OpenMetrics 1.0.0. */
import { METRICS, type Metric, type MetricName } from "./metric-table.ts";
import type { MetricsPage, Sample } from "./metrics-page.ts";

export interface Format {
  readonly type: string;
  readonly isOpen: boolean;
}

const PROMETHEUS: Format = { type: "text/plain; version=0.0.4; charset=utf-8", isOpen: false };
const OPEN_METRICS: Format = {
  type: "application/openmetrics-text; version=1.0.0; charset=utf-8",
  isOpen: true,
};

/** OpenMetrics where it is asked for, and not less than the other; who says nothing gets what everybody reads. */
export function formatFor(accept: string): Format {
  const weights = accept.split(",").map((each) => {
    const [type = "", ...parameters] = each.split(";").map((word) => word.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith("q="));
    return { type, weight: weight === undefined ? 1 : Number(weight.slice(2)) || 0 };
  });
  const best = (...types: string[]) =>
    Math.max(0, ...weights.filter(({ type }) => types.includes(type)).map(({ weight }) => weight));
  const open = best("application/openmetrics-text");
  return open > 0 && open >= best("text/plain") ? OPEN_METRICS : PROMETHEUS;
}

/** Every metric of which there is a sample, each name once, in the order of the table. */
export function exposed(page: MetricsPage, { isOpen }: Format): string {
  const lines: string[] = [];
  for (const [name, metric] of Object.entries(METRICS) as [MetricName, Metric][]) {
    const samples = page.of(name);
    if (samples.length === 0) continue;
    const family = isOpen && metric.type === "counter" ? name.replace(/_total$/, "") : name;
    lines.push(`# HELP ${family} ${escaped(metric.help, isOpen)}`, `# TYPE ${family} ${metric.type}`);
    for (const sample of samples) lines.push(lineOf(name, sample));
  }
  if (isOpen) lines.push("# EOF");
  return `${lines.join("\n")}\n`;
}

function lineOf(name: string, { suffix, labels, value }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(String(text), true)}"`);
  const said = pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
  return `${name}${suffix}${said} ${value}`;
}

function escaped(text: string, withQuotes: boolean): string {
  const plain = text.toWellFormed().replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
  return withQuotes ? plain.replaceAll('"', '\\"') : plain;
}

/** Prometheus's text format 0.0.4, taken apart. */

export interface Sample {
  /** What stands behind the metric's name: `_sum` and `_count` of a summary; else empty. */
  readonly suffix: string;
  readonly labels: { readonly [label: string]: string };
  readonly value: number;
}

export interface Metric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: readonly Sample[];
  /** As it came, each line ended. */
  readonly text: string;
}

/** A metric that is being read. */
interface Draft {
  readonly name: string;
  type: string;
  help: string;
  readonly samples: Sample[];
  text: string;
}

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)(?: -?\d+)?$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)",?/g;

/** In the order of the page. Throws SyntaxError for a line that is none of the format. */
export function metricsOf(page: string): readonly Metric[] {
  const metrics: Draft[] = [];
  for (const line of page.split("\n")) {
    if (line === "") continue;
    const [, kind, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? [];
    const of = kind === undefined ? line.replace(/[{ ].*$/s, "") : name;
    // What begins with # and says nothing is a remark.
    if (kind === undefined && line.startsWith("#")) continue;
    const metric = draftFor(metrics, of, kind === undefined);
    metric.text += `${line}\n`;
    if (kind === "TYPE") metric.type = rest;
    else if (kind === "HELP") metric.help = unescaped(rest);
    else metric.samples.push(sampleOf(line, metric.name));
  }
  return metrics;
}

/** A sample belongs to the metric before it where its name begins so. */
function draftFor(metrics: Draft[], name: string, isSample: boolean): Draft {
  const last = metrics.at(-1);
  if (last !== undefined && (last.name === name || (isSample && name.startsWith(`${last.name}_`))))
    return last;
  const made = { name, type: "untyped", help: "", samples: [], text: "" };
  metrics.push(made);
  return made;
}

function sampleOf(line: string, metric: string): Sample {
  const [, name, labels = "", value = ""] = SAMPLE.exec(line) ?? [];
  if (name === undefined) throw new SyntaxError(`no sample: ${line}`);
  const read = [...labels.matchAll(LABEL)].map(([, label = "", text = ""]) => [label, unescaped(text)]);
  return { suffix: name.slice(metric.length), labels: Object.fromEntries(read), value: numberOf(value) };
}

function numberOf(text: string): number {
  if (/^[+-]?Inf$/.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  return Number(text);
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_all, character: string) => (character === "n" ? "\n" : character));
}

/**
 * Prometheus's text format 0.0.4 and OpenMetrics 1.0.0, read by their grammar and nothing of the broker's: whatever a line is not allowed
 * to be ends a test.
 */
const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (-?(?:[0-9.]+(?:e[+-]?[0-9]+)?|Inf)|NaN)$`);
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/;
const ESCAPED = { "\\\\": "\\", '\\"': '"', "\\n": "\n" } as const;

interface Family {
  readonly name: string;
  readonly type: string;
  readonly help: string;
}

export interface ReadSample {
  readonly name: string;
  readonly labels: { readonly [label: string]: string };
  readonly value: number;
}

export interface ReadMetrics {
  readonly families: readonly Family[];
  readonly samples: readonly ReadSample[];
  /** The value of the one sample with just these labels. */
  value(name: string, labels?: { readonly [label: string]: string }): number | undefined;
  /** The values of a label among the samples of a name. */
  labels(name: string, label: string): string[];
}

/** The suffixes that samples of a type have, by format. */
function suffixesOf(type: string, isOpen: boolean): string[] {
  if (type === "summary") return ["", "_sum", "_count"];
  return [type === "counter" && isOpen ? "_total" : ""];
}

export function readMetrics(text: string, isOpen = false): ReadMetrics {
  if (!text.endsWith(isOpen ? "\n# EOF\n" : "\n")) throw new Error("the end is not as it must be");
  const lines = text.slice(0, -1).split("\n");
  if (isOpen) lines.pop();
  const families: Family[] = [];
  const samples: ReadSample[] = [];
  const seen = new Set<string>();
  let help: [string, string] | null = null;
  for (const line of lines) {
    const [, asHelp, helpText = ""] = new RegExp(`^# HELP (${NAME}) (.*)$`).exec(line) ?? [];
    if (asHelp !== undefined) {
      if (/\\(?![\\n"])/.test(helpText)) throw new Error(`an escape that there is not: ${line}`);
      help = [asHelp, helpText];
      continue;
    }
    const [, asType, type = ""] = new RegExp(`^# TYPE (${NAME}) (counter|gauge|summary)$`).exec(line) ?? [];
    if (asType !== undefined) {
      if (help?.[0] !== asType) throw new Error(`a type without its help: ${line}`);
      if (families.some(({ name }) => name === asType)) throw new Error(`a family twice: ${line}`);
      families.push({ name: asType, type, help: help[1] });
      continue;
    }
    const sample = sampleOf(line);
    const family = families.at(-1);
    const names = family === undefined ? [] : suffixesOf(family.type, isOpen).map((end) => family.name + end);
    if (!names.includes(sample.name)) throw new Error(`a sample outside of its family: ${line}`);
    const key = JSON.stringify([sample.name, Object.entries(sample.labels).sort()]);
    if (seen.has(key)) throw new Error(`a sample twice: ${line}`);
    seen.add(key);
    samples.push(sample);
  }
  const value: ReadMetrics["value"] = (name, labels = {}) => {
    const wanted = JSON.stringify(Object.entries(labels).sort());
    return samples.find(
      (each) => each.name === name && JSON.stringify(Object.entries(each.labels).sort()) === wanted,
    )?.value;
  };
  const labels: ReadMetrics["labels"] = (name, label) => [
    ...new Set(samples.filter((each) => each.name === name).flatMap((each) => each.labels[label] ?? [])),
  ];
  return { families, samples, value, labels };
}

function sampleOf(line: string): ReadSample {
  const [, name = "", labelText = "", value = ""] = SAMPLE.exec(line) ?? [];
  if (name === "") throw new Error(`not a line of the format: ${JSON.stringify(line)}`);
  const labels: { [label: string]: string } = {};
  for (let rest = labelText; rest !== ""; ) {
    const [whole, label = "", text = ""] = LABEL.exec(rest) ?? [];
    if (whole === undefined || label in labels) throw new Error(`not labels: ${line}`);
    labels[label] = text.replace(/\\[\\"n]/g, (pair) => ESCAPED[pair as keyof typeof ESCAPED]);
    rest = rest.slice(whole.length);
  }
  return { name, labels, value: Number(value) };
}

/** What every bench does around its own work: shows how far it is, and prints what was measured, also of one that did not come to its end. */
import type { Context } from "../context.ts";
import { type BoundOptions, Bounds } from "./bounds.ts";
import {
  type Counted,
  countedFields,
  countedText,
  type Measured,
  Measurement,
  measuredFields,
  measuredText,
  progressText,
  type Verb,
} from "./measurement.ts";
import { every } from "./ticking.ts";

const PROGRESS_MS = 500;

export interface Bench extends BoundOptions {
  /** What comes before the numbers, for programs. */
  readonly about: { readonly bench: string; readonly [name: string]: unknown };
  readonly report: Report;
}

/** How what was measured is told. */
export interface Report {
  readonly text: (measured: Measured) => string;
  /** While it goes on. */
  readonly progress: (measured: Measured) => string;
  readonly fields: (measured: Measured) => object;
}

export function recordsReport(verb: Verb): Report {
  return {
    text: (measured) => measuredText(verb, measured),
    progress: (measured) => progressText(verb, measured),
    fields: measuredFields,
  };
}

export function countReport(what: Counted): Report {
  const text = (measured: Measured) => countedText(what, measured);
  return { text, progress: text, fields: (measured) => countedFields(what, measured) };
}

/** `work` measures until its bounds say that it is over. What it throws is thrown once what was measured is printed, if anything was. */
export async function measure(
  context: Context,
  { about, report, ...limits }: Bench,
  work: (measurement: Measurement, bounds: Bounds) => Promise<void>,
): Promise<void> {
  const measurement = new Measurement();
  const bounds = new Bounds(limits, context.interrupted);
  const hush = showing(context, () => report.progress(measurement.measured()));
  let isDone = false;
  try {
    await work(measurement, bounds);
    isDone = true;
  } finally {
    hush();
    const measured = measurement.measured();
    if (isDone || measured.records > 0)
      await (context.settings.json
        ? context.data.json({ ...about, ...report.fields(measured) })
        : context.data.line(report.text(measured)));
  }
}

/** Shows what `text` says now and then, and returns how to end that. */
export function showing({ notes }: Context, text: () => string): () => void {
  if (!notes.showsProgress) return () => undefined;
  const cancel = every(PROGRESS_MS, () => notes.progress(text()));
  return () => {
    cancel();
    notes.progressDone();
  };
}

/** What every bench does around its own work: shows how far it is, and prints what was measured, also of one that did not come to its end. */
import type { Context } from "../context.ts";
import { type BoundOptions, Bounds } from "./bounds.ts";
import { Measurement, measuredFields, measuredText, progressText, type Verb } from "./measurement.ts";
import { every } from "./ticking.ts";

const PROGRESS_MS = 500;

export interface Bench extends BoundOptions {
  readonly name: "produce" | "fetch" | "e2e";
  readonly verb: Verb;
  readonly topic: string;
}

/** `work` measures until its bounds say that it is over. What it throws is thrown once what was measured is printed. */
export async function measure(
  context: Context,
  bench: Bench,
  work: (measurement: Measurement, bounds: Bounds) => Promise<void>,
): Promise<void> {
  const measurement = new Measurement();
  const bounds = new Bounds(bench, context.interrupted);
  const { name, verb, topic } = bench;
  const hush = showing(context, () => progressText(verb, measurement.measured()));
  try {
    await work(measurement, bounds);
  } finally {
    hush();
    const measured = measurement.measured();
    await (context.settings.json
      ? context.data.json({ bench: name, topic, ...measuredFields(measured) })
      : context.data.line(measuredText(verb, measured)));
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

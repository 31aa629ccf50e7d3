/** The samples of one look at a broker, by metric. */
import type { LabelOf, MetricName, SummaryName } from "./metric-table.ts";

export interface Sample {
  /** What stands behind the metric's name: `_sum` and `_count` of a summary. */
  readonly suffix: "" | "_sum" | "_count";
  readonly labels: { readonly [label: string]: string | number };
  readonly value: number;
}

/** What is known of how long something took. */
export interface Times {
  readonly count: number;
  readonly sum: number;
  /** By quantile, as it is written. */
  readonly quantiles: { readonly [quantile: string]: number };
}

type Labels<Name extends MetricName> = { readonly [Label in LabelOf<Name>]?: string | number };

export class MetricsPage {
  readonly #samples = new Map<MetricName, Sample[]>();

  /** Must be called once at most for a metric with the same labels. */
  add<Name extends MetricName>(name: Name, value: number, labels: Labels<Name> = {}): void {
    this.#push(name, { suffix: "", labels: labels as Sample["labels"], value });
  }

  addTimes<Name extends SummaryName>(
    name: Name,
    { count, sum, quantiles }: Times,
    labels: Labels<Name>,
  ): void {
    const given = labels as Sample["labels"];
    for (const [quantile, value] of Object.entries(quantiles))
      this.#push(name, { suffix: "", labels: { ...given, quantile }, value });
    this.#push(name, { suffix: "_sum", labels: given, value: sum });
    this.#push(name, { suffix: "_count", labels: given, value: count });
  }

  of(name: MetricName): readonly Sample[] {
    return this.#samples.get(name) ?? [];
  }

  #push(name: MetricName, sample: Sample): void {
    const samples = this.#samples.get(name);
    if (samples === undefined) this.#samples.set(name, [sample]);
    else samples.push(sample);
  }
}

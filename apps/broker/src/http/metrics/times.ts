/** How long things took: all of them in sum and count, the last ones in quantiles. In a bounded room, whatever comes. */
import type { Times } from "./metrics-page.ts";

const KEPT_MAX = 1_024;

/** Those of Kafka's histograms, written as the JMX exporter writes them. */
const QUANTILES = ["0.50", "0.75", "0.95", "0.98", "0.99", "0.999"] as const;

export class TimeBook {
  readonly #last: number[] = [];
  #count = 0;
  #sum = 0;

  note(ms: number): void {
    this.#last[this.#count % KEPT_MAX] = ms;
    this.#count += 1;
    this.#sum += ms;
  }

  get times(): Times {
    const sorted = [...this.#last].sort((one, other) => one - other);
    // The least of those that so many are not above.
    const at = (quantile: number) => sorted[Math.max(0, Math.ceil(quantile * sorted.length) - 1)] ?? 0;
    const quantiles =
      sorted.length === 0 ? {} : Object.fromEntries(QUANTILES.map((each) => [each, at(Number(each))]));
    return { count: this.#count, sum: this.#sum, quantiles };
  }
}

/** How far a transfer has come: a line of a terminal, or with --json a document every now and then. */
import type { Context } from "../context.ts";
import { sizeText } from "./size-text.ts";

const EVERY_MS = 250;
const JSON_EVERY_MS = 1_000;

export class TransferProgress {
  readonly #context: Context;
  readonly #topic: string;
  readonly #offsets: number;
  readonly #startMs = performance.now();
  #saidMs = performance.now();
  #passed = 0;
  #records = 0;
  #bytes = 0;

  /** `offsets` is how many are to be passed. */
  constructor(context: Context, topic: string, offsets: number) {
    this.#context = context;
    this.#topic = topic;
    this.#offsets = offsets;
  }

  get records(): number {
    return this.#records;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get durationMs(): number {
    return performance.now() - this.#startMs;
  }

  add(records: number, bytes: number, offsets: number): void {
    this.#records += records;
    this.#bytes += bytes;
    this.#passed += offsets;
    const { settings, notes, data } = this.#context;
    const nowMs = performance.now();
    if (nowMs - this.#saidMs < (settings.json ? JSON_EVERY_MS : EVERY_MS)) return;
    this.#saidMs = nowMs;
    notes.progress(this.text());
    const fields = { topic: this.#topic, records: this.#records, bytes: this.#bytes };
    // Nobody waits for it: a reader that is slow, or gone, is met by what is written in its turn.
    if (settings.json)
      data.json({ event: "progress", ...fields, percent: this.#percent() }).catch(() => undefined);
  }

  /** `orders: 12,000 records, 34 % at 5.1 MB/s, 12 s left`. */
  text(): string {
    const seconds = Math.max(0.001, this.durationMs / 1_000);
    const leftS = (this.#offsets - this.#passed) / (this.#passed / seconds);
    const left = Number.isFinite(leftS) && leftS >= 0 ? `, ${Math.ceil(leftS)} s left` : "";
    const rate = `${sizeText(this.#bytes / seconds)}/s`;
    return `${this.#topic}: ${this.#records} records, ${this.#percent()} % at ${rate}${left}`;
  }

  end(): void {
    this.#context.notes.progressDone();
  }

  #percent(): number {
    return this.#offsets === 0 ? 100 : Math.min(100, Math.floor((100 * this.#passed) / this.#offsets));
  }
}

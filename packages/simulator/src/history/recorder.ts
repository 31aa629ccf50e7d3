/**
 * Writes a history down while it happens.
 *
 * Owns: the operations and happenings, and their order. Invariants: append-only; an operation ends at most once; the order only grows.
 * Never: a judgement, or a look at the cluster.
 */
import type { Happening, What } from "./happenings.ts";
import type { AnyOperation, History, Operation, OperationKind, OperationKinds, Outcome } from "./history.ts";

/** One that is under way. */
export interface Recorded<Kind extends OperationKind> {
  readonly operation: Operation<Kind>;
  ok(told: OperationKinds[Kind]["told"] | null, attempts?: number): void;
  /** It certainly had no effect. */
  failed(code: string, attempts?: number): void;
  unknown(code: string | null, attempts?: number): void;
}

export class Recorder implements History {
  readonly operations: AnyOperation[] = [];
  readonly happenings: Happening[] = [];
  readonly #nowMs: () => number;
  #order = 0;

  /** `nowMs`: the simulated time. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Of what is recorded next. */
  get order(): number {
    return this.#order;
  }

  asked<Kind extends OperationKind>(
    kind: Kind,
    client: string,
    asked: OperationKinds[Kind]["asked"],
  ): Recorded<Kind> {
    const operation: Operation<Kind> = { kind, client, ...this.#stamp(), asked, ended: null };
    this.operations.push(operation as unknown as AnyOperation);
    const end = (
      outcome: Outcome,
      attempts: number,
      code: string | null,
      told: OperationKinds[Kind]["told"] | null,
    ) => {
      if (operation.ended !== null) throw new Error(`${kind} of ${client} at ${operation.order} ended twice`);
      operation.ended = { ...this.#stamp(), outcome, attempts, code, told };
    };
    return {
      operation,
      ok: (told, attempts = 1) => end("ok", attempts, null, told),
      failed: (code, attempts = 1) => end("failed", attempts, code, null),
      unknown: (code, attempts = 1) => end("unknown", attempts, code, null),
    };
  }

  happened(what: What): void {
    this.happenings.push({ ...what, ...this.#stamp() });
  }

  #stamp(): { order: number; atMs: number } {
    return { order: this.#order++, atMs: this.#nowMs() };
  }
}

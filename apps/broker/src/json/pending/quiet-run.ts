/**
 * Pending steps taken one after another until none is left.
 *
 * Owns the steps of one run that are under way. With a manual clock a step that waits, for an acknowledgement or for a fault that holds
 * it, is left to wait while others are taken, since they may be what it waits for; in auto mode, where replicas are served anyhow, it is
 * waited for, unless a fault holds somebody for long.
 * Invariants: the first pending step is taken each time; one of which the same was foretold as of an earlier one is not, so that every
 * run ends: the earlier one has failed, or is under way.
 * What is left is told (unquiet.ts): quiet is what has nothing to tell.
 * Never: the clock moved.
 */
import { BrokerError, ManualClock, type PendingStep } from "@minikafka/core";
import type { ResponseFields } from "@minikafka/protocol";
import type { BrokerContext } from "../../broker-context.ts";
import type { Client } from "../../connections/client.ts";
import { aTurnForOthers } from "../../ticker.ts";
import { pendingFields } from "./pending-fields.ts";
import { takeStep } from "./take-step.ts";
import { failureIn, unquietFields } from "./unquiet.ts";

/** In auto mode, how long a step is waited for while a fault holds it, or whomever it waits behind. */
const HELD_MS = 500;

type Answer = ResponseFields<"run_until_quiet">;
type TakenFields = Answer["steps"][number];

/** A step of the run. */
interface Run {
  readonly step: PendingStep;
  /** `null` while it is under way. */
  outcome: Pick<TakenFields, "did" | "problem"> | null;
  /** What is no refusal of the world. */
  fault: { readonly error: unknown } | null;
}

export class QuietRun {
  readonly #context: BrokerContext;
  readonly #client: Client;
  readonly #runs: Run[] = [];
  readonly #foretold = new Set<string>();

  constructor(context: BrokerContext, client: Client) {
    this.#context = context;
    this.#client = client;
  }

  /** Rejects as steps() of the foresight throws, and with a fault of ours. */
  async take(stepsMax: number): Promise<Answer> {
    while (this.#runs.length < stepsMax) {
      const next = this.#next();
      if (next !== undefined) await this.#begin(next);
      else if (!(await this.#goesOn())) break;
      for (const { fault } of this.#runs) if (fault !== null) throw fault.error;
    }
    // What the last step acknowledged is answered by then.
    await aTurnForOthers();
    const steps = this.#runs.map(takenFields);
    const isCutShort = this.#runs.length >= stepsMax && this.#next() !== undefined;
    const unquiet = unquietFields(steps, isCutShort, this.#context);
    return { steps, quiet: unquiet.length === 0, unquiet };
  }

  #next(): PendingStep | undefined {
    const underWay = new Set(
      this.#runs.flatMap(({ step, outcome }) => (outcome === null ? [step.operation] : [])),
    );
    return this.#context.cluster.foresight
      .steps()
      .find((step) => !underWay.has(step.operation) && !this.#foretold.has(JSON.stringify(step)));
  }

  /** Whether a step that is under way comes to its end without another one. */
  async #goesOn(): Promise<boolean> {
    const waiting = this.#runs.filter(({ outcome }) => outcome === null);
    if (waiting.length > 0) await aTurnForOthers();
    return waiting.some(({ outcome }) => outcome !== null);
  }

  async #begin(step: PendingStep): Promise<void> {
    this.#foretold.add(JSON.stringify(step));
    const run: Run = { step, outcome: null, fault: null };
    this.#runs.push(run);
    const over = takeStep(step, this.#context, this.#client).then(
      (did) => {
        run.outcome = { did, problem: null };
      },
      (error: unknown) => {
        if (!(error instanceof BrokerError)) run.fault = { error };
        else run.outcome = { did: null, problem: { code: error.code, message: error.message } };
      },
    );
    // With a manual clock nothing takes time: after a turn of the event loop, what is left waits for others.
    if (this.#context.clock instanceof ManualClock) await Promise.race([over, aTurnForOthers()]);
    else await this.#waitFor(over);
  }

  /** Until it is over, or a fault has held somebody for long: nobody knows whether that is ever released. */
  async #waitFor(over: Promise<void>): Promise<void> {
    const { deadlines, faults } = this.#context;
    let isOver = false;
    let holdsBefore = 0;
    while (!isOver) {
      const holds = faults.holding().length;
      if (holdsBefore > 0 && holds > 0) return;
      holdsBefore = holds;
      await new Promise<void>((resolve) => {
        const deadline = deadlines.after(HELD_MS, resolve);
        void over.then(() => {
          isOver = true;
          deadline.cancel();
          resolve();
        });
      });
    }
  }
}

function takenFields({ step, outcome }: Run): TakenFields {
  const { operation, fields } = pendingFields(step);
  const { did = null, problem = null } = outcome ?? {};
  const how = outcome === null ? "waits" : problem !== null || failureIn(did) !== null ? "failed" : "done";
  // The answer is that of the operation beside it.
  return { operation, fields, outcome: how, did, problem } as TakenFields;
}

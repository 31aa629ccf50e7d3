/**
 * What a client has of the network: requests go and answers come, each after a while, or the connection breaks.
 *
 * Invariants: on one connection requests arrive in the order in which they were sent, and answers too; of a connection that the client
 * has given up what is under way may still arrive, and take effect.
 * Never: an answer of a process that is over, or of a connection that is.
 */
import { type BrokerCluster, BrokerError, CrashSignal } from "@minikafka/core";
import type { Chance } from "../chance.ts";
import type { SimProcess } from "../world/process.ts";
import type { Planned, Timeline } from "../world/timeline.ts";

export interface Wait {
  readonly giveUp: AbortSignal;
}

/** What the broker does with a request, in the instant in which it arrives. */
export type Serve<Result> = (cluster: BrokerCluster, wait: Wait) => Promise<Result> | Result;

export type Answer<Result> =
  | { readonly kind: "ok"; readonly value: Result }
  | { readonly kind: "refused"; readonly code: string; readonly problem: BrokerError }
  /** Nobody knows whether it took effect, unless it was never `sent`. */
  | { readonly kind: "lost"; readonly sent: boolean };

export interface AskOptions {
  /** How long the broker may wait. Default: 300. */
  readonly brokerMs?: number;
  /** How long the client waits. Default: 500. */
  readonly clientMs?: number;
}

export interface NetworkParts {
  readonly timeline: Timeline;
  readonly process: SimProcess;
  readonly delayMsMax: number;
  /** Of a thousand messages, so many break their connection. */
  readonly lossPermille: number;
  /** By then everything has arrived that its client had given up while it was on its way, and nothing is stalled any more. */
  lateUntilMs: number;
  /** The connections whose requests the broker is at, one for each. */
  readonly atWork: Set<{ readonly link: Link }>;
  readonly broken: (problem: unknown) => void;
}

/** One connection, from its opening to its end. */
export interface Link {
  /** "left": the client is not there any more, and the broker does not know. "broken": nothing comes through. */
  state: "open" | "left" | "broken";
  readonly life: number;
  requestsAtMs: number;
  answersAtMs: number;
  readonly pending: Set<Pending>;
}

interface Pending {
  readonly giveUp: AbortController;
  readonly lose: () => void;
}

export class Connection {
  readonly #parts: NetworkParts;
  #link: Link | null = null;
  #stalledUntilMs = 0;
  #isDead = false;
  /** Of the act under way: it draws how long messages take. */
  luck: Chance;

  constructor(parts: NetworkParts, luck: Chance) {
    this.#parts = parts;
    this.luck = luck;
    parts.process.onEnd(() => {
      this.#broke(this.#link);
      parts.atWork.clear();
    });
  }

  /** Asks the broker. Never rejects; of a dead client it never settles. */
  ask<Result>(
    serve: Serve<Result>,
    { brokerMs = 300, clientMs = 500 }: AskOptions = {},
  ): Promise<Answer<Result>> {
    const { timeline } = this.#parts;
    // Nobody is there who could hear of anything.
    if (this.#isDead) return new Promise(() => {});
    const link = this.#open();
    if (link === null) return this.#later<Result>({ kind: "lost", sent: false });
    return new Promise((resolve) => {
      const timers: Planned[] = [];
      const giveUp = new AbortController();
      const settle = (answer: Answer<Result>) => {
        for (const timer of timers) timer.cancel();
        link.pending.delete(pending);
        resolve(answer);
      };
      const pending: Pending = { giveUp, lose: () => settle({ kind: "lost", sent: true }) };
      link.pending.add(pending);
      // Whoever waits no longer connects anew; the broker finds out later, or never.
      timers.push(timeline.plan(clientMs, () => this.#abandon(link)));
      this.#carry(link, "requests", () => {
        if (!this.#arrives()) return this.#broke(link);
        // Also when its client waits no longer: the broker does not know.
        const patience = timeline.plan(brokerMs, () => giveUp.abort());
        const work = { link };
        this.#parts.atWork.add(work);
        this.#serve(serve, giveUp.signal, (answer) => {
          patience.cancel();
          this.#parts.atWork.delete(work);
          if (link.life !== this.#parts.process.life || this.#parts.process.isDying) return;
          this.#carry(link, "answers", () => {
            if (link.state !== "open") return;
            if (this.#arrives()) settle(answer);
            else this.#broke(link);
          });
        });
      });
    });
  }

  /** The connection breaks, for both sides at once, or first for the client alone. */
  cut(): void {
    if (this.#link === null) return;
    if (this.luck.percent(50)) this.#broke(this.#link);
    else this.#abandon(this.#link);
  }

  /** The client is dead. */
  die(): void {
    this.#isDead = true;
    if (this.#link !== null) this.#leave(this.#link);
  }

  /** Nothing comes through for a while, either way. */
  stall(forMs: number): void {
    const parts = this.#parts;
    this.#stalledUntilMs = parts.timeline.nowMs + forMs;
    this.#noteLate(this.#stalledUntilMs);
  }

  #open(): Link | null {
    const { process, timeline } = this.#parts;
    if (this.#link?.state === "open") return this.#link;
    if (process.cluster === null) return null;
    const nowMs = timeline.nowMs;
    this.#link = {
      state: "open",
      life: process.life,
      requestsAtMs: nowMs,
      answersAtMs: nowMs,
      pending: new Set(),
    };
    return this.#link;
  }

  #serve<Result>(serve: Serve<Result>, giveUp: AbortSignal, answer: (answer: Answer<Result>) => void): void {
    const { process, broken } = this.#parts;
    const { cluster } = process;
    if (cluster === null) return;
    const refused = (problem: unknown) => {
      if (problem instanceof BrokerError) answer({ kind: "refused", code: problem.code, problem });
      else if (!(problem instanceof CrashSignal)) broken(problem);
    };
    try {
      const served = serve(cluster, { giveUp });
      if (served instanceof Promise) served.then((value) => answer({ kind: "ok", value }), refused);
      else answer({ kind: "ok", value: served });
    } catch (problem) {
      refused(problem);
    }
  }

  /** `act` happens when a message of this direction arrives that is sent now. */
  #carry(link: Link, direction: "requests" | "answers", act: () => void): void {
    const { timeline, delayMsMax } = this.#parts;
    const key = `${direction}AtMs` as const;
    const drawnMs = Math.max(timeline.nowMs, this.#stalledUntilMs) + this.luck.below(delayMsMax + 1);
    link[key] = Math.max(link[key], drawnMs);
    if (this.#stalledUntilMs > timeline.nowMs) this.#noteLate(link[key]);
    const { process } = this.#parts;
    timeline.plan(link[key] - timeline.nowMs, () => {
      if (link.life === process.life && link.state !== "broken") act();
    });
  }

  #arrives(): boolean {
    const { lossPermille } = this.#parts;
    return lossPermille === 0 || this.luck.below(1000) >= lossPermille;
  }

  /** The client has waited long enough. What it sent may still arrive. */
  #abandon(link: Link): void {
    this.#leave(link);
    if (!this.#isDead) for (const { lose } of [...link.pending]) lose();
  }

  #leave(link: Link): void {
    if (link.state === "open") this.#noteLate(link.requestsAtMs);
    if (link.state !== "broken") link.state = "left";
  }

  #noteLate(untilMs: number): void {
    this.#parts.lateUntilMs = Math.max(this.#parts.lateUntilMs, untilMs);
  }

  #broke(link: Link | null): void {
    if (link === null || link.state === "broken") return;
    link.state = "broken";
    for (const { lose, giveUp } of [...link.pending]) {
      giveUp.abort();
      if (!this.#isDead) lose();
    }
  }

  #later<Result>(answer: Answer<Result>): Promise<Answer<Result>> {
    return new Promise((resolve) => {
      this.#parts.timeline.plan(1, () => {
        if (!this.#isDead) resolve(answer);
      });
    });
  }
}

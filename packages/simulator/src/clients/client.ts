/** What every simulated client is: somebody with a name, a connection, and what it knows of the cluster. */
import type { Chance } from "../chance.ts";
import type { Recorder } from "../history/recorder.ts";
import {
  type Answer,
  type AskOptions,
  Connection,
  type NetworkParts,
  type Serve,
} from "../network/connection.ts";
import type { Timeline } from "../world/timeline.ts";
import type { Topics } from "../world/topics.ts";
import type { Witness } from "../world/witness.ts";

export interface ClientWorld {
  readonly timeline: Timeline;
  readonly recorder: Recorder;
  readonly network: NetworkParts;
  readonly topics: Topics;
  readonly witness: Pick<Witness, "watched">;
  /** The time of day, for the records. */
  readonly nowMs: () => number;
}

/** Certain to have had no effect. Any other refusal leaves it open. */
const SURE: ReadonlySet<string> = new Set([
  "INVALID_REQUEST",
  "NOT_ENOUGH_REPLICAS",
  "RECORD_TOO_LARGE",
  "INVALID_RECORD",
  "PRODUCER_FENCED",
  "UNKNOWN_PRODUCER_ID",
  "OUT_OF_ORDER_SEQUENCE",
  "UNKNOWN_TRANSACTIONAL_ID",
  "TRANSACTION_ABORTED",
  "INVALID_TRANSACTION_STATE",
  "CONCURRENT_TRANSACTIONS",
  "UNKNOWN_MEMBER",
  "UNKNOWN_GROUP",
  "ILLEGAL_GENERATION",
  "NOT_PARTITION_OWNER",
]);

/** Another try may do better. */
const PASSING: ReadonlySet<string> = new Set([
  "NOT_ENOUGH_REPLICAS",
  "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
  "FENCED_LEADER_EPOCH",
  "LEADER_NOT_AVAILABLE",
  "BROKER_NOT_AVAILABLE",
  "REQUEST_TIMED_OUT",
  "CONCURRENT_TRANSACTIONS",
  "UNSTABLE_OFFSET_COMMIT",
  "SHUTTING_DOWN",
  "STORAGE_ERROR",
  "BROKER_FAILED",
]);

export function isSure(code: string): boolean {
  return SURE.has(code);
}

export function isPassing<Result>(answer: Answer<Result>): boolean {
  return answer.kind === "lost" || (answer.kind === "refused" && PASSING.has(answer.code));
}

/** Whether it may have taken effect. The end of a transaction that is decided has, whatever it was refused for, as the SDK knows too. */
export function isInDoubt<Result>(answer: Answer<Result>): boolean {
  if (answer.kind === "lost") return answer.sent;
  return answer.kind === "refused" && (!isSure(answer.code) || answer.problem.details.decided !== undefined);
}

export function codeOf<Result>(answer: Answer<Result>): string {
  if (answer.kind === "refused") return answer.code;
  return answer.kind === "lost" ? (answer.sent ? "CONNECTION_LOST" : "NOT_CONNECTED") : "OK";
}

/** What came of several attempts at one request. */
export interface Insisted<Result> {
  readonly answer: Answer<Result>;
  readonly attempts: number;
  /** One before the last may have taken effect. */
  readonly isDoubtful: boolean;
}

export abstract class Client {
  readonly name: string;
  readonly connection: Connection;
  readonly world: ClientWorld;
  /** Of the act under way. */
  luck: Chance;
  /** Its process is dead. */
  isGone = false;
  /** The run is over: it begins nothing more by itself. */
  isRetired = false;
  #named = 0;

  constructor(name: string, world: ClientWorld, luck: Chance) {
    this.name = name;
    this.world = world;
    this.luck = luck;
    this.connection = new Connection(world.network, luck);
  }

  take(luck: Chance): void {
    this.luck = luck;
    this.connection.luck = luck;
  }

  /** Nothing is under way, and nothing waits to be tried again. */
  abstract get isIdle(): boolean;

  protected nextId(): string {
    return `${this.name}.${this.#named++}`;
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.world.timeline.plan(ms, () => {
        if (!this.isGone) resolve();
      });
    });
  }

  /** Its process dies. What it has sent may still arrive; what it awaits never comes. */
  die(): void {
    this.isGone = true;
    this.connection.die();
  }

  /** Asks again while that may help, up to `attemptsMax` times. */
  async insist<Result>(
    serve: Serve<Result>,
    { attemptsMax, ...options }: AskOptions & { readonly attemptsMax: number },
  ): Promise<Insisted<Result>> {
    let isDoubtful = false;
    for (let attempts = 1; ; attempts++) {
      const answer = await this.connection.ask(serve, options);
      if (attempts >= attemptsMax || !isPassing(answer) || this.isGone)
        return { answer, attempts, isDoubtful };
      isDoubtful ||= isInDoubt(answer);
      await this.wait(5 + 5 * attempts);
    }
  }
}

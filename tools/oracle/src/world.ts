/**
 * What a scenario of the script has in hand: one side, in one pass. It asks, and what comes of it is noted under the step's name,
 * in a form that can be compared. Both sides go through the same scenario, each by itself.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { ApiName, RequestInputOf, ResponseValueOf } from "@minikafka/protocol/kafka";
import type { Step } from "./compare.ts";
import { Connection, type Outcome } from "./connection.ts";
import { Aliases, normalise, type Plain } from "./normalise.ts";

/** At the lowest version of each API that both sides have, or at the highest. */
export type Pass = "low" | "high";

export interface Side {
  readonly host: string;
  readonly port: number;
}

export interface Topic {
  readonly name: string;
  readonly topic: string;
  readonly topicId: string;
}

const READY_MS_MAX = 30_000;
const ASK_AGAIN_MS = 20;

/** What a broker says while it is getting ready for what it is asked. */
const NOT_YET = new Set([
  ...["COORDINATOR_NOT_AVAILABLE", "COORDINATOR_LOAD_IN_PROGRESS", "NOT_COORDINATOR", "LEADER_NOT_AVAILABLE"],
  ...["CONCURRENT_TRANSACTIONS", "NOT_LEADER_OR_FOLLOWER"],
]);

/** Whether an answer, in its comparable form, says somewhere that it is too early. */
function isNotYet(plain: Plain): boolean {
  if (typeof plain === "string") return NOT_YET.has(plain);
  return typeof plain === "object" && plain !== null && Object.values(plain).some(isNotYet);
}

export class World {
  readonly pass: Pass;
  readonly aliases: Aliases;
  readonly steps: Step[] = [];
  readonly side: Side;
  readonly #versions: ReadonlyMap<ApiName, number>;
  readonly #scenario: string;
  readonly #connections = new Map<string, Connection>();
  #markers = 0;

  constructor(side: Side, pass: Pass, versions: ReadonlyMap<ApiName, number>, scenario: string) {
    this.side = side;
    this.pass = pass;
    this.#versions = versions;
    this.#scenario = scenario;
    this.aliases = new Aliases(`-in-${pass}`);
  }

  /** A name that no other pass uses. */
  name(base: string): string {
    return `${base}${this.aliases.suffix}`;
  }

  version(api: ApiName): number {
    const version = this.#versions.get(api);
    if (version === undefined) throw new Error(`both sides share no version of ${api}`);
    return version;
  }

  /** A client's connection, by its name; one that was cut is replaced. */
  async connection(client = "first"): Promise<Connection> {
    const before = this.#connections.get(client);
    if (before !== undefined && !before.isCut) return before;
    const opened = await Connection.open(this.side.host, this.side.port);
    this.#connections.set(client, opened);
    return opened;
  }

  /** Asks and notes what came of it; null where there was no answer. */
  async ask<Name extends ApiName>(
    step: string,
    api: Name,
    request: RequestInputOf<Name>,
    client?: string,
  ): Promise<ResponseValueOf<Name> | null> {
    const outcome = await this.quietly(api, request, client);
    this.noteOutcome(step, api, outcome);
    return outcome.kind === "answer" ? outcome.response : null;
  }

  /** As {@link ask}, again and again while the answer is that it is too early: how long that is must differ. */
  async askUntilReady<Name extends ApiName>(
    step: string,
    api: Name,
    request: RequestInputOf<Name>,
    client?: string,
  ): Promise<ResponseValueOf<Name> | null> {
    const outcome = await this.#untilReady(api, request, (plain) => !isNotYet(plain), client);
    this.note(step, api, this.#plain(outcome));
    return outcome.kind === "answer" ? outcome.response : null;
  }

  /** Asks, and notes nothing. */
  async quietly<Name extends ApiName>(
    api: Name,
    request: RequestInputOf<Name>,
    client?: string,
  ): Promise<Outcome<ResponseValueOf<Name>>> {
    const connection = await this.connection(client);
    return connection.ask(api, this.version(api), request);
  }

  /** As {@link quietly}, until `isReady` is true of the answer in its comparable form; throws when it never is. */
  async until<Name extends ApiName>(
    api: Name,
    request: RequestInputOf<Name>,
    isReady: (plain: Plain) => boolean,
  ): Promise<ResponseValueOf<Name>> {
    const outcome = await this.#untilReady(api, request, isReady);
    if (outcome.kind === "answer" && isReady(this.#plain(outcome))) return outcome.response;
    throw new Error(
      `${api} never came to what the script waits for: ${JSON.stringify(this.#plain(outcome))}`,
    );
  }

  noteOutcome(step: string, api: ApiName, outcome: Outcome<unknown>): void {
    this.note(step, api, this.#plain(outcome));
  }

  note(step: string, api: ApiName, outcome: Plain): void {
    const taken = this.steps.filter((each) => each.step === step || each.step.startsWith(`${step} (`)).length;
    const name = taken === 0 ? step : `${step} (${taken + 1})`;
    this.steps.push({ scenario: this.#scenario, step: name, api, version: this.version(api), outcome });
  }

  /** Makes a topic and waits until it can be used; notes nothing. */
  async makeTopic(
    base: string,
    partitions = 1,
    configs: Readonly<Record<string, string>> = {},
  ): Promise<Topic> {
    const name = this.name(base);
    const topic = {
      name,
      numPartitions: partitions,
      replicationFactor: 1,
      configs: Object.entries(configs).map(([each, value]) => ({ name: each, value })),
    };
    await this.quietly("CreateTopics", { topics: [topic] });
    return this.topicThatIs(name, partitions);
  }

  /** Waits until a topic has its leaders; `name` is whole. */
  async topicThatIs(name: string, partitions = 1): Promise<Topic> {
    const givenUpMs = performance.now() + READY_MS_MAX;
    const connection = await this.connection();
    for (;;) {
      const outcome = await connection.ask("Metadata", 12, {
        topics: [{ name }],
        allowAutoTopicCreation: false,
      });
      const [found] = outcome.kind === "answer" ? outcome.response.topics : [];
      const led = found?.partitions.filter(({ errorCode }) => errorCode === 0) ?? [];
      if (found !== undefined && led.length === partitions && (await this.#isLed(name, partitions))) {
        this.aliases.name("topic id", found.topicId, `id of ${this.aliases.text(name)}`);
        return { name, topic: name, topicId: found.topicId };
      }
      if (performance.now() > givenUpMs) throw new Error(`topic ${name} never had its leaders`);
      await pause(ASK_AGAIN_MS);
    }
  }

  /**
   * Returns when what was changed before can be seen: a broker of Kafka's learns of changes in their order, and later than who
   * made them was answered.
   */
  async settle(): Promise<void> {
    this.#markers += 1;
    await this.makeTopic(`marker-${this.#markers}-of-${this.#scenario.replaceAll(" ", "-")}`);
  }

  close(): void {
    for (const connection of this.#connections.values()) connection.close();
  }

  /** Whether each partition is served: a broker of Kafka's names leaders before it leads. */
  async #isLed(name: string, partitions: number): Promise<boolean> {
    const connection = await this.connection();
    const wanted = Array.from({ length: partitions }, (_, partitionIndex) => ({
      partitionIndex,
      timestamp: -1,
    }));
    const outcome = await connection.ask("ListOffsets", 7, { topics: [{ name, partitions: wanted }] });
    if (outcome.kind !== "answer") return false;
    return outcome.response.topics.every((topic) =>
      topic.partitions.every(({ errorCode }) => errorCode === 0),
    );
  }

  async #untilReady<Name extends ApiName>(
    api: Name,
    request: RequestInputOf<Name>,
    isReady: (plain: Plain) => boolean,
    client?: string,
  ): Promise<Outcome<ResponseValueOf<Name>>> {
    const givenUpMs = performance.now() + READY_MS_MAX;
    for (;;) {
      const outcome = await this.quietly(api, request, client);
      if (isReady(this.#plain(outcome)) || performance.now() > givenUpMs) return outcome;
      await pause(ASK_AGAIN_MS);
    }
  }

  #plain(outcome: Outcome<unknown>): Plain {
    if (outcome.kind === "answer") return normalise(outcome.response, this.aliases);
    return outcome.kind === "unreadable" ? `unreadable: ${outcome.message}` : outcome.kind;
  }
}

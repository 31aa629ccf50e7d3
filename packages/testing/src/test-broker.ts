/**
 * A broker as a test holds it: how to reach it, its time, its faults, and its end. What is seen of it is in seen-broker.ts.
 *
 * Owns the clients that were made of it, and who waits; lives.ts owns the daemon that runs.
 * Invariants: addresses stay from the start to the end, also over `restart` and `reset`. Once `close` has resolved there is no socket, no timer and no
 * open file left, whatever the test has done before; nothing was ever written to the terminal, unless its settings ask for that.
 */
import type { Broker } from "@minikafka/broker";
import {
  Client,
  type ConnectOptions,
  connect,
  Faults,
  hasCode,
  MiniKafkaError,
  Stepper,
} from "@minikafka/client";
import type { BrokerCluster } from "@minikafka/core";
import { faultHand } from "./fault-hand.ts";
import { lifeEndOf, type RestartOptions } from "./life.ts";
import { type Beginning, Lives } from "./lives.ts";
import { livingSession } from "./living-session.ts";
import { makeReady } from "./readiness.ts";
import { SeenBroker } from "./seen-broker.ts";
import type { Plan } from "./start-options.ts";
import { TestClock } from "./test-clock.ts";
import { closed, requireNothing, usage } from "./usage.ts";
import { Waits } from "./waits.ts";

/** What is under way at the end of a test gets so long. */
const CLOSE_TIMEOUT_MS = 500;

/** A broker, or several, in this process. Made by `startBroker`; `await using`, or `close`, lets go of all of it. */
export class TestBroker extends SeenBroker implements AsyncDisposable {
  /** The SDK's client of it, without a port. Closed with the broker. */
  readonly client: Client;
  /** The steps of background work: `step.runUntilQuiet()`, `step.replicateOnce()`, … A broker that has crashed refuses them with CRASHED. */
  readonly step: Stepper;
  /** `const rule = await fault.arm({ point: "request.produce", action: "close_after" })`, … Refused as steps are, but that rules tell what they did also after a crash. */
  readonly fault: Faults;
  readonly clock: TestClock;
  readonly #plan: Plan;
  readonly #lives: Lives;
  readonly #waits: Waits;
  readonly #clients = new Set<Client>();
  #closing: Promise<void> | null = null;

  private constructor(plan: Plan) {
    const waits = new Waits(plan.waitTimeoutMs);
    super(waits);
    this.#plan = plan;
    this.#waits = waits;
    this.#lives = new Lives(plan, (daemon, why) => this.#begun(daemon, why));
    this.client = this.#newClient();
    // Each of its own: what a fault does to the test's own requests, or to a step, does not befall who is to wait for it or release it.
    this.step = new Stepper(livingSession(this.#newClient(), () => this.#requireObeyed()));
    this.fault = new Faults(faultHand(this.#newClient(), this.#lives));
    this.clock = new TestClock(this.step, () => this.kernel.env.clock.nowMs());
  }

  /** See startBroker. */
  static async start(plan: Plan): Promise<TestBroker> {
    const broker = new TestBroker(plan);
    try {
      await broker.#lives.start();
    } catch (problem) {
      await broker.close();
      throw problem;
    }
    return broker;
  }

  /** `"127.0.0.1:49213,127.0.0.1:49214"`, for Kafka's clients. Throws USAGE with `kafka: false`. */
  get bootstrapServers(): string {
    return this.bootstrapBrokers.join(",");
  }

  /** The same as a list, as kafkajs and @platformatic/kafka take it. */
  get bootstrapBrokers(): string[] {
    const { kafkaAddresses } = this.daemon;
    if (kafkaAddresses.length === 0)
      throw usage("this broker has no port for Kafka's clients: it was started with kafka: false");
    return kafkaAddresses.map(({ host, port }) => `${host}:${port}`);
  }

  /** Where it takes lines of JSON: `connect(broker.address)`, or `minikafka-cli -b host:port`. */
  get address(): { readonly host: string; readonly port: number } {
    const { address } = this.daemon;
    if (address === null) throw closed();
    return address;
  }

  /** Where it answers over HTTP. Throws USAGE without `http: true`. */
  get httpAddress(): { readonly host: string; readonly port: number } {
    const { httpAddress } = this.daemon;
    if (httpAddress === null) throw usage("this broker has no HTTP port: it was started without http: true");
    return httpAddress;
  }

  /** The daemon that runs in this process; another one after `restart` and `reset`. Throws CLOSED. */
  get daemon(): Broker {
    if (this.#closing !== null) throw closed();
    return this.#lives.daemon;
  }

  /** Its kernel, for who wants to look closer. What is done there by hand is no request, and no part of a trace. */
  get kernel(): BrokerCluster {
    return this.daemon.cluster;
  }

  /** For looks: the kernel of one that lives. Throws CLOSED, CRASHED, CONNECTION, LEADER_NOT_AVAILABLE. */
  protected override livingKernel(): BrokerCluster {
    const { cluster } = this.daemon;
    this.#lives.requireAlive();
    return cluster;
  }

  /** For waits, which outlast a crash. Throws LEADER_NOT_AVAILABLE. */
  protected override requireBegun(): void {
    this.#lives.requireBegun();
  }

  /** Another client of the SDK's without a port, closed with the broker. */
  async connect(options?: ConnectOptions): Promise<Client> {
    return this.#owned(await connect({ link: () => this.#lives.connectInProcess() }, options));
  }

  /**
   * Ends the daemon and starts it again over what that leaves: all of it after a "stop" (the default), what was written after a "kill", as by
   * kill -9, what was flushed after a "power_cut". Who is connected is cut off and finds it at the same addresses; with a manual clock time goes
   * on. Waits wait on; `fault` has no rule left, and a `whenFired` ends with CLOSED. Rejects with USAGE for a kill or power cut of a folder, and with CRASHED
   * where the one that begins dies before it is ready.
   */
  async restart(options: RestartOptions = {}): Promise<void> {
    const end = lifeEndOf(options);
    this.requireOpen();
    await this.#lives.restart(end);
    this.#waits.heard();
  }

  /**
   * All that was written is gone, and the topics of the start are there again, empty; addresses and clients stay. Close producers and
   * consumers that were made before. Waits end with CLOSED. Refused with USAGE where the storage is a folder that was not empty at the start.
   */
  async reset(...given: []): Promise<void> {
    requireNothing("reset", given);
    this.requireOpen();
    await this.#lives.reset(() =>
      this.#waits.endAll(() => new MiniKafkaError("CLOSED", "the broker was reset")),
    );
    this.#waits.heard();
  }

  /** Ends everything. Rejects when a folder could not be made durable; closing twice is closing once. */
  async close(...given: []): Promise<void> {
    requireNothing("close", given);
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Connects when it is used, and is closed with the broker. */
  #newClient(): Client {
    return this.#owned(new Client({ link: () => this.#lives.connectInProcess() }));
  }

  /** Until it is closed, whoever does that. */
  #owned(client: Client): Client {
    this.#clients.add(client);
    client.own({
      close: async () => {
        this.#clients.delete(client);
      },
    });
    return client;
  }

  async #begun(daemon: Broker, why: Beginning): Promise<void> {
    daemon.onEvent(this.#waits.heard);
    await this.client.open().catch((problem: unknown) => {
      // By the test, whose it is.
      if (!hasCode(problem, "CLOSED")) throw problem;
    });
    const client = new Client({ link: () => daemon.connectInProcess() });
    try {
      await makeReady(daemon, client.admin(), this.#plan, why);
    } finally {
      await client.close();
    }
  }

  async #close(): Promise<void> {
    await this.#lives.settled();
    this.#waits.endAll(closed);
    this.#lives.over(closed());
    // What they could not deliver was told to who has sent it.
    await Promise.allSettled(
      [...this.#clients].map((client) => client.close({ timeoutMs: CLOSE_TIMEOUT_MS })),
    );
    await this.#lives.end();
  }

  /** Throws CRASHED, or CONNECTION for one that was ended by hand or did not start again. Of one that is being started, or is closed, the client knows better. */
  #requireObeyed(): void {
    if (this.#closing !== null) return;
    const { dead, lost, ended } = this.#lives;
    if (dead !== null) throw ended.reason;
    if (lost !== null) throw lost;
  }

  /** Throws CLOSED. */
  protected override requireOpen(): void {
    if (this.#closing !== null) throw closed();
  }
}

/**
 * A port for each hosted broker, so that Kafka's clients see a true cluster: a broker that is stopped is one that nobody can reach.
 *
 * Owns the ports.
 * Invariants: a port is open while its broker runs, and closed, with nobody connected, while it is stopped; it hears of that from the
 * kernel's events, whoever has stopped it. What clients are told of the addresses does not change with that.
 */
import { setMaxListeners } from "node:events";
import type { BrokerCluster, TraceEvent } from "@minikafka/core";
import type { Settings } from "../config.ts";
import type { Address } from "../connections/port.ts";
import type { EventFeed } from "../event-feed.ts";
import { BrokerPort, type BrokerPortParts } from "./broker-port.ts";
import { hostToTell, portsOfBrokers } from "./kafka-settings.ts";
import type { BrokerAddress, KafkaSite, TopicDefaults } from "./kafka-site.ts";

export interface KafkaListenersParts extends Omit<BrokerPortParts, "frameBytesMax" | "jsonAddress"> {
  readonly settings: Settings;
  readonly events: EventFeed;
  readonly cluster: () => BrokerCluster;
  /** With a manual clock the end of connections has its turn among all that happens. */
  readonly inTurn: (act: () => void) => void;
  /** A port could not be opened again. */
  readonly onProblem: (brokerId: number, problem: unknown) => void;
}

export class KafkaListeners implements KafkaSite {
  readonly createsTopics: boolean;
  readonly topicDefaults: TopicDefaults;
  readonly #stop = new AbortController();
  readonly #parts: KafkaListenersParts;
  readonly #advertisedHost: string;
  #ports: readonly BrokerPort[] = [];
  #turn: Promise<void> = Promise.resolve();

  constructor(parts: KafkaListenersParts) {
    const { settings, events } = parts;
    // A thousand members may wait, and that is no leak.
    setMaxListeners(0, this.stopping);
    this.#parts = parts;
    this.#advertisedHost = hostToTell(settings);
    this.createsTopics = settings.auto_create_topics;
    this.topicDefaults = {
      partitions: settings.auto_create_partitions,
      replicationFactor: Math.min(settings.auto_create_replication_factor, settings.brokers),
    };
    events.add({ wants: isBrokerLife, take: () => this.#follow() });
  }

  /** Opens the ports, if the settings want any. `jsonAddress`: where lines of JSON are taken, if they are. Rejects with AddressUnavailable. */
  async listen(jsonAddress: Address | null): Promise<void> {
    const { settings, cluster } = this.#parts;
    const { kafka_port: wanted, kafka_max_frame_bytes: frameBytesMax, host } = settings;
    if (wanted === undefined) return;
    const numbers = portsOfBrokers(settings);
    const ports = cluster()
      .brokerStates()
      .map(({ brokerId }, place) => {
        const address = { host, port: numbers[place] ?? 0 };
        return new BrokerPort(brokerId, address, { ...this.#parts, frameBytesMax, jsonAddress });
      });
    this.#ports = ports;
    for (const port of ports) await port.open();
  }

  /** Where clients are told to connect, by broker; none where nobody listens. */
  get addresses(): readonly BrokerAddress[] {
    return this.#ports.map(({ brokerId, address: { port } }) => {
      return { brokerId, host: this.#advertisedHost, port };
    });
  }

  addressOf(brokerId: number): Address | null {
    const port = this.#ports.find((each) => each.brokerId === brokerId);
    return port === undefined ? null : { host: this.#advertisedHost, port: port.address.port };
  }

  get stopping(): AbortSignal {
    return this.#stop.signal;
  }

  settled(): Promise<void> {
    return this.#turn;
  }

  /** Looks which brokers run: another cluster may be there in the place of the one before. */
  async follow(): Promise<void> {
    this.#follow();
    await this.#turn;
  }

  /** Takes nobody new, whatever happens from now on. */
  refuseNew(): void {
    this.#stop.abort();
    for (const port of this.#ports) port.close();
  }

  #follow(): void {
    if (this.#ports.length === 0) return;
    this.#turn = this.#turn.then(() => this.#followNow());
  }

  async #followNow(): Promise<void> {
    const { cluster, inTurn, onProblem } = this.#parts;
    if (this.stopping.aborted || cluster().state !== "running") return;
    const states = new Map(
      cluster()
        .brokerStates()
        .map(({ brokerId, state }) => [brokerId, state]),
    );
    for (const port of this.#ports) {
      // Meanwhile the broker may have begun to stop.
      if (this.stopping.aborted) return;
      if (states.get(port.brokerId) === "stopped") {
        if (!port.isOpen) continue;
        port.close();
        inTurn(() => port.cutAll(`broker ${port.brokerId} is stopped`));
      } else await port.open().catch((problem: unknown) => onProblem(port.brokerId, problem));
    }
  }
}

function isBrokerLife({ kind }: TraceEvent): boolean {
  return kind === "broker_started" || kind === "broker_stopped";
}

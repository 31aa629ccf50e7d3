/**
 * The ways in: lines of JSON by a port or by links of this process, and Kafka's frames by a port for each broker. All of them share
 * the limits, and the one order in which requests take effect. Beside them is one for those who only look, over HTTP.
 *
 * Owns the dispatchers, the ports, everybody who is connected, and whether anything is carried out.
 */
import type { Duplex } from "node:stream";
import { AssertionFailure, CrashSignal, SystemRandom } from "@minikafka/core";
import type { Logger } from "pino";
import type { Settings } from "./config.ts";
import type { ConnectionLimits } from "./connections/connection-options.ts";
import { NEVER_IDLE } from "./connections/connection-settings.ts";
import { OpenConnections } from "./connections/open-connections.ts";
import { OutputBudget } from "./connections/output-budget.ts";
import type { Address } from "./connections/port.ts";
import type { Sequence } from "./connections/sequence.ts";
import type { Deadlines } from "./deadlines.ts";
import type { EventFeed } from "./event-feed.ts";
import type { Recorder } from "./history/recorder.ts";
import { HttpDoor } from "./http/http-door.ts";
import { unreadyOf } from "./http/readiness.ts";
import { Dispatcher } from "./json/dispatch.ts";
import { Listener } from "./json/listener.ts";
import { jsonSpeech } from "./json/speech.ts";
import { KafkaDispatcher } from "./kafka/kafka-dispatch.ts";
import { KafkaListeners } from "./kafka/kafka-listeners.ts";
import { connectionsDefault } from "./open-files.ts";
import { Service } from "./service.ts";
import type { Stage } from "./stage.ts";

const REQUESTS_IN_HAND_MAX = 64;
const OUTPUT_PAUSE_BYTES = 256 * 1024;
const OUTPUT_STALL_MS = 30_000;
/** A burst of a few thousand events is borne; see connections/watching.ts. */
const EVENT_BYTES_MAX = 1024 * 1024;
/** Of all connections together; see output-budget.ts. */
const OUTPUT_BUDGET = { bytesMax: 256 * 1024 * 1024, patienceMs: 1_000 };
const LINGER_MS = 2_000;
/** A client of a stopping daemon has read its last answer by then, or will read it from its own buffers. */
const LINGER_STOPPING_MS = 200;

export interface DoorsParts {
  readonly settings: Settings;
  readonly stage: Stage;
  readonly log: Logger;
  readonly events: EventFeed;
  readonly realTime: Deadlines;
  /** With a manual clock; else `null`, as is the recorder. */
  readonly sequence: Sequence | null;
  readonly recorder: Recorder | null;
  /** What cannot happen has happened, or the kernel died. */
  readonly onBroken: (error: Error) => void;
}

export class Doors {
  readonly service = new Service();
  readonly dispatcher: Dispatcher;
  readonly kafkaDispatcher: KafkaDispatcher;
  readonly connections: OpenConnections;
  readonly kafka: KafkaListeners;
  /** `null` where the settings want none. */
  readonly http: HttpDoor | null;
  #isOpen = false;
  #jsonAddress: Address | null = null;
  readonly #listener: Listener;
  readonly #settings: Settings;

  constructor(parts: DoorsParts) {
    const { settings, stage, log, events, realTime, sequence, recorder, onBroken } = parts;
    const recording = recorder === null ? {} : { recorder };
    const options = {
      ...{ context: stage, service: this.service, onBroken, ...recording },
      newFaultId: () => stage.random.uuid(),
      onFault: (faultId: string, operation: string, err: unknown) =>
        log.error({ faultId, operation, err }, "internal error"),
    };
    this.#settings = settings;
    this.dispatcher = new Dispatcher(options);
    this.kafkaDispatcher = new KafkaDispatcher(options);
    this.connections = new OpenConnections({
      limits: limitsOf(settings),
      realTime,
      budget: new OutputBudget(OUTPUT_BUDGET, realTime),
      ...(sequence === null ? {} : { sequence }),
      ...recording,
      connectionsMax: settings.max_connections ?? connectionsDefault(stage.cluster.config.openFilesMax),
      onClosing: (peer, reason, level) => log[level]({ peer, reason }, "connection closing"),
      onRefused: (peer, refused) => {
        log.info({ peer, ...refused }, "what a connection sent cannot be read: it is closed");
        events.tellRefused(refused);
      },
    });
    this.#listener = new Listener(this.connections, jsonSpeech(this.dispatcher, settings.max_frame_bytes));
    this.kafka = new KafkaListeners({
      ...{ settings, events, connections: this.connections, dispatcher: this.kafkaDispatcher },
      cluster: () => stage.cluster,
      inTurn: (act) => (sequence === null ? act() : sequence.add(inSequence(act))),
      onProblem: (brokerId, err) => log.error({ brokerId, err }, "a port for Kafka's clients stays closed"),
    });
    this.http = this.#httpOf(parts);
  }

  /** Resolves with the address of the JSON port, if there is one. Kafka's are the settings' to want. Rejects with AddressUnavailable. */
  async listen(hasJsonPort: boolean): Promise<Address | null> {
    const { host, port } = this.#settings;
    // The first, so that whoever waits for the others can be told so.
    await this.http?.listen();
    this.#jsonAddress = hasJsonPort ? await this.#listener.listen(host, port) : null;
    await this.kafka.listen(this.#jsonAddress);
    this.#isOpen = true;
    return this.#jsonAddress;
  }

  connectInProcess(): Duplex {
    return this.#listener.connectInProcess();
  }

  /** Nobody new comes in, and who asks for anything is told that the broker stops. */
  beginToClose(): void {
    this.#listener.refuseNew();
    this.kafka.refuseNew();
    this.service.stop();
    this.http?.beginToClose();
  }

  /** Resolves when everybody has gone, with the answers that they are owed. */
  async close(): Promise<void> {
    // Who asks for something while others are owed an answer is told SHUTTING_DOWN.
    await this.connections.answered();
    this.#listener.endSurplus();
    await this.connections.endAll(LINGER_STOPPING_MS);
  }

  get isDead(): boolean {
    return this.service.state === "dead";
  }

  /** Nothing is carried out any more, as by a process that has died. Returns false where that was so before. */
  die(): boolean {
    if (this.isDead) return false;
    this.service.die();
    this.connections.destroyAll();
    this.http?.die();
    return true;
  }

  /** As the system does it with a process that is gone: nobody is told anything. Resolves when nobody is connected and nothing is listened on. */
  async drop(): Promise<void> {
    this.#listener.refuseNew();
    this.kafka.refuseNew();
    this.#listener.endSurplus();
    this.die();
    await Promise.all([this.connections.dropped(), this.http?.close()]);
  }

  #httpOf({ settings, stage, log, realTime, onBroken }: DoorsParts): HttpDoor | null {
    const { http_port } = settings;
    if (http_port === undefined) return null;
    return new HttpDoor({
      settings: { ...settings, http_port },
      realTime,
      site: {
        context: stage,
        connections: () => this.connections.size,
        unready: () => {
          const { state: service } = this.service;
          return unreadyOf({
            isOpen: this.#isOpen,
            service,
            isLoading: (stage.past?.loading ?? null) !== null,
          });
        },
      },
      onFault: (path, err) => {
        // Not of the broker's chance: with a manual clock that is a part of what happens.
        const faultId = new SystemRandom().uuid();
        log.error({ faultId, path, err }, "internal error");
        if (err instanceof AssertionFailure || err instanceof CrashSignal) onBroken(err);
        return faultId;
      },
      onProblem: (message) => log.debug({ reason: message }, "the HTTP port"),
      jsonAddress: () => this.#jsonAddress,
    });
  }
}

function inSequence(act: () => void): () => boolean {
  return () => {
    act();
    return true;
  };
}

/** With a manual clock a program may be held still for as long as people look at it: it is given the time of one that is idle. */
function limitsOf({ clock, connections_max_idle_ms, max_output_bytes }: Settings): ConnectionLimits {
  const idleMs = connections_max_idle_ms === NEVER_IDLE ? null : connections_max_idle_ms;
  const heldStillMs = idleMs === null ? null : Math.max(idleMs, OUTPUT_STALL_MS);
  return {
    requestsInHandMax: REQUESTS_IN_HAND_MAX,
    idleMs,
    lingerMs: LINGER_MS,
    output: {
      pauseBytes: OUTPUT_PAUSE_BYTES,
      bytesMax: max_output_bytes,
      stallMs: clock === "manual" ? heldStillMs : OUTPUT_STALL_MS,
      eventBytesMax: Math.min(EVENT_BYTES_MAX, max_output_bytes / 2),
    },
  };
}

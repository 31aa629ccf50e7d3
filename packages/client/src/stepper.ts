/**
 * The broker's clock and its background work, for experiments that step them. Any broker tells its clock; to steps it answers
 * STEPPING_DISABLED unless it runs with --lab, or with a manual clock.
 */
import { clockJumps, type ParsedResponse } from "@minikafka/protocol";
import { type CamelCased, camelCased } from "./camel-case.ts";
import { requireCallOptions } from "./client-options.ts";
import { type ClusterEvent, clusterEvent, type EventQuery, watchFields } from "./cluster-event.ts";
import type { EventStream } from "./event-stream.ts";
import type { CallOptions, Session } from "./session.ts";
import { requirePlace, type TopicPartition } from "./topic-partition.ts";
import { checkedInteger, requireText } from "./usage.ts";

/** The segment that is written from then on. */
export type RolledSegment = CamelCased<ParsedResponse<"roll_segment">>;
/** The segments that retention closed, and those that it deleted. */
export type Retention = CamelCased<ParsedResponse<"apply_retention">>;
/** A segment that is gone. */
export type DeletedSegment = Retention["deleted"][number];
/** What a flush made durable, and which brokers noted how far their replicas are visible. */
export type Flush = CamelCased<ParsedResponse<"flush_logs">>;

/** A log's pass, and the logs in which a truncation, a removal of segments or a close took precedence. */
export type Compaction = CamelCased<ParsedResponse<"compact">>;
/** What one pass over a log kept and dropped. */
export type CompactedLog = Compaction["compacted"][number];

/** Producers that one replica has forgotten. */
export type ForgottenProducers = CamelCased<ParsedResponse<"expire_producers">["expired"][number]>;

/** Members that were silent for too long, groups that went on otherwise, and partitions of groups that were read into memory. */
export type ExpiredMembers = CamelCased<ParsedResponse<"expire_members">>;
/** Offsets that were kept for too long, groups that went with them, and partitions of groups that were read into memory. */
export type ExpiredOffsets = CamelCased<ParsedResponse<"expire_offsets">>;
/** A member that is none any more, and why. */
export type ExpiredMember = ExpiredMembers["expired"][number];
/** An offset that a group had committed too long ago. */
export type ForgottenOffset = ExpiredOffsets["expired"][number];

/** What a step did with transactions; those that could not be ended say why, and the next step tries again. */
export type ExpiredTransactions = CamelCased<ParsedResponse<"expire_transactions">>;

/** What is pending, and when time brings more. */
export type Pending = CamelCased<ParsedResponse<"pending_steps">>;
/** A step that would do something if it were taken now, with what that is. */
export type PendingStep = Pending["steps"][number];
/** When a step will have something to do, or a wait ends, if nothing else happens until then. */
export type Deadline = Pending["deadlines"][number];

/** The steps that were taken, and whether nothing is left; `unquiet` tells who waits for what, and what has failed. */
export type QuietRun = CamelCased<ParsedResponse<"run_until_quiet">>;
/** A step with the answer of its operation. */
export type StepTaken = QuietRun["steps"][number];

/** Which logs a step is for. */
export interface StepScope extends CallOptions {
  /** Default: all topics. */
  readonly topic?: string | undefined;
}

/** Which partitions a step is for. */
export interface PartitionScope extends StepScope {
  /** Default: all of the topic. */
  readonly partition?: number | undefined;
}

/** Which followers a step is for. */
export interface FollowerScope extends PartitionScope {
  /** Default: those on all brokers. */
  readonly brokerId?: number | undefined;
}

/** Followers that copied, cut or failed, and those that only heard or told something. */
export type ReplicationRound = CamelCased<ParsedResponse<"replicate_once">>;
/** What one follower copied or cut, or failed with. */
export type ReplicatedPartition = ReplicationRound["copied"][number];
/** A partition whose in-sync replicas have changed. */
export type RefreshedPartition = CamelCased<ParsedResponse<"refresh_isr">["changed"][number]>;

/** The broker's clock and background work, one step at a time. Made by `client.stepper()`. */
export class Stepper {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** The broker's time, in milliseconds since 1970, without moving it. */
  async clock(options?: CallOptions): Promise<number> {
    return (await this.#session.call("clock", {}, options)).now_ms;
  }

  /** Moves a manual clock of the broker on by `ms` and does nothing else. Returns its new time. */
  async advanceClock(ms: number, options?: CallOptions): Promise<number> {
    return (await this.#session.call("advance_clock", { ms }, options)).now_ms;
  }

  /** What each step would do if it were taken now, and when time brings more: all, or those of one topic. Changes nothing. */
  async next(asked: StepScope = {}): Promise<Pending> {
    const { topic, ...options } = checkedScope("next", asked, TOPIC);
    return camelCased(await this.#session.call("pending_steps", scope(topic), options));
  }

  /**
   * Takes pending steps until none would do anything, at most `maxSteps` (default 1000), and says what each did. The clock stays
   * where it is. `quiet` is false when something is left, has failed, or waits for what no step gives; `unquiet` says what.
   */
  async runUntilQuiet(
    asked: CallOptions & { readonly maxSteps?: number | undefined } = {},
  ): Promise<QuietRun> {
    requireCallOptions("runUntilQuiet", asked, ["maxSteps"]);
    const { maxSteps, ...options } = asked;
    if (maxSteps !== undefined) checkedInteger("maxSteps", maxSteps, 1);
    const fields = maxSteps === undefined ? {} : { max_steps: maxSteps };
    return camelCased(await this.#session.call("run_until_quiet", fields, options));
  }

  /**
   * Moves a manual clock to the earliest deadline there is, and says which that was; `null` when there is none within a century,
   * and then it stays. A way of more than 366 days is gone in several moves, since advanceClock takes no more at once.
   * What comes due thereby is taken by steps.
   */
  async advanceToNextDeadline(options: CallOptions = {}): Promise<Deadline | null> {
    requireCallOptions("advanceToNextDeadline", options);
    const { nowMs, deadlines } = await this.next(options);
    const [first] = deadlines;
    const jumps = first === undefined ? null : clockJumps(first.dueAtMs - nowMs);
    if (first === undefined || jumps === null) return null;
    for (const ms of jumps) await this.advanceClock(ms, options);
    return first;
  }

  /** Begins a new segment, unless the one that is written is empty. */
  async rollSegment(place: TopicPartition, options?: CallOptions): Promise<RolledSegment> {
    requirePlace("rollSegment({ topic, partition })", place);
    const { topic, partition } = place;
    return camelCased(await this.#session.call("roll_segment", { topic, partition }, options));
  }

  /** Closes the segments that are written for too long and deletes those that are too old or too many; says which they were. */
  async applyRetention(asked: StepScope = {}): Promise<Retention> {
    const { topic, ...options } = checkedScope("applyRetention", asked, TOPIC);
    return camelCased(await this.#session.call("apply_retention", scope(topic), options));
  }

  /** Takes one pass of compaction over each log in which enough has gathered, and says what it did or gave way to. */
  async compact(asked: StepScope = {}): Promise<Compaction> {
    const { topic, ...options } = checkedScope("compact", asked, TOPIC);
    return camelCased(await this.#session.call("compact", scope(topic), options));
  }

  /**
   * Lets every replica forget the idempotent producers that it heard nothing of for a day, and says which. A retry of theirs is
   * not known any more; their ids stay theirs.
   */
  async expireProducers(options?: CallOptions): Promise<readonly ForgottenProducers[]> {
    return camelCased((await this.#session.call("expire_producers", {}, options)).expired);
  }

  /**
   * Ends the membership of who was silent for its session timeout, or held a partition back for its rebalance timeout, and says
   * who that was, which groups go on otherwise, and what it had to read for that.
   */
  async expireMembers(options?: CallOptions): Promise<ExpiredMembers> {
    return camelCased(await this.#session.call("expire_members", {}, options));
  }

  /** Forgets what groups without members committed longer ago than it is kept, and says what that was. */
  async expireOffsets(options?: CallOptions): Promise<ExpiredOffsets> {
    return camelCased(await this.#session.call("expire_offsets", {}, options));
  }

  /**
   * Aborts transactions that are open for longer than their timeout, finishes those whose end was decided before, and forgets ids
   * that nobody used for a week. Resolves with which they were.
   */
  async expireTransactions(options?: CallOptions): Promise<ExpiredTransactions> {
    return camelCased(await this.#session.call("expire_transactions", {}, options));
  }

  /**
   * One follower-fetch round of every follower, or of those that are named. Resolves with what was copied, cut, heard or failed; a
   * follower hears of the high watermark that moves thereby in its next round.
   */
  async replicateOnce(asked: FollowerScope = {}): Promise<ReplicationRound> {
    const { topic, partition, brokerId, ...options } = checkedScope("replicateOnce", asked, [
      ...TOPIC,
      "partition",
      "brokerId",
    ]);
    const fields = {
      ...scope(topic),
      ...(partition === undefined ? {} : { partition }),
      ...(brokerId === undefined ? {} : { broker_id: brokerId }),
    };
    return camelCased(await this.#session.call("replicate_once", fields, options));
  }

  /** Judges who is in sync; resolves with where that has changed. */
  async refreshIsr(asked: PartitionScope = {}): Promise<readonly RefreshedPartition[]> {
    const { topic, partition, ...options } = checkedScope("refreshIsr", asked, [...TOPIC, "partition"]);
    const fields = { ...scope(topic), ...(partition === undefined ? {} : { partition }) };
    return camelCased((await this.#session.call("refresh_isr", fields, options)).changed);
  }

  /**
   * What happens from now on, event by event, over a connection of its own; needs no lab. `for await` ends by `break`, by
   * `close` of the stream or of the client. It fails with CONNECTION when the connection is lost, since there may be a gap,
   * and with the broker's refusal. Throws USAGE for a query that cannot be meant. `await stream.open()` first, to miss nothing of what you do next.
   */
  events(query: EventQuery = {}): EventStream<ClusterEvent> {
    return this.#session.watch(watchFields(query), clusterEvent, query.signal);
  }

  /** Makes everything durable that was appended before, and says what that was. */
  async flushLogs(options?: CallOptions): Promise<Flush> {
    return camelCased(await this.#session.call("flush_logs", {}, options));
  }
}

const TOPIC = ["topic"];

/** Throws USAGE for what would be ignored otherwise, and the step taken everywhere. */
function checkedScope<Scope extends StepScope>(what: string, asked: Scope, own: readonly string[]): Scope {
  requireCallOptions(what, asked, own);
  requireText("topic", asked.topic);
  return asked;
}

function scope(topic: string | undefined): { topic?: string } {
  return topic === undefined ? {} : { topic };
}

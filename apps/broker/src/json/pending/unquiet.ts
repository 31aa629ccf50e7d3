/**
 * Why a cluster is not at rest after its pending steps were taken: what failed, and who waits for what. Whoever waits for time alone,
 * or for records that nobody has sent, is no trouble: clock and clients bring these, and no step.
 */
import type { ResponseFields } from "@minikafka/protocol";
import type { BrokerContext } from "../../broker-context.ts";
import { pendingFields } from "./pending-fields.ts";
import type { Did } from "./take-step.ts";
import { waitFields } from "./waits.ts";

type Answer = ResponseFields<"run_until_quiet">;
type TakenFields = Answer["steps"][number];
export type UnquietFields = Answer["unquiet"][number];

/** What went wrong in a part of a step that was carried out, or `null`. */
export function failureIn(did: Did): string | null {
  if (did === null) return null;
  if ("copied" in did) return did.copied.find(({ problem }) => problem !== null)?.problem ?? null;
  const [failed] = "failed" in did ? did.failed : [];
  return failed === undefined ? null : `${failed.transactional_id}: ${failed.code}: ${failed.message}`;
}

/** `isCutShort`: more steps would do something, and `max_steps` were taken. */
export function unquietFields(
  steps: readonly TakenFields[],
  isCutShort: boolean,
  context: BrokerContext,
): UnquietFields[] {
  const left: UnquietFields[] = isCutShort
    ? [{ what: "steps_left", says: `more steps are pending after the ${steps.length} that were taken` }]
    : stepsLeft(steps, context);
  const waiting = new Set(
    steps.flatMap(({ operation, outcome }) => (outcome === "waits" ? [operation] : [])),
  );
  // With steps left nobody knows yet who would wait in the end.
  const answers = isCutShort ? [] : answersThatWait(waiting, context);
  const trouble = steps.flatMap((step) => stepTrouble(step, context));
  return [...left, ...trouble, ...answers, ...failedBrokers(context)];
}

/** Taken once, and pending as before, though none of them failed. */
function stepsLeft(steps: readonly TakenFields[], { cluster }: BrokerContext): UnquietFields[] {
  const told = new Set(steps.flatMap(({ operation, outcome }) => (outcome === "done" ? [] : [operation])));
  return cluster.foresight
    .steps()
    .filter(({ operation }) => !told.has(operation))
    .map((step) => {
      const { operation, fields } = pendingFields(step);
      return {
        what: "steps_left",
        says: `${operation} is pending as before it was taken`,
        operation,
        ...fields,
      };
    });
}

function stepTrouble(
  { operation, fields, outcome, did, problem }: TakenFields,
  context: BrokerContext,
): UnquietFields[] {
  const of = { operation, ...fields };
  if (outcome === "waits") {
    const says = `${operation} waits for what no step gives`;
    return [{ what: "step_waits", ...withHolds(says, context), ...of }];
  }
  if (outcome !== "failed") return [];
  const why = problem === null ? failureIn(did) : `${problem.code}: ${problem.message}`;
  return [{ what: "step_failed", says: `${operation} failed: ${why}`, ...of }];
}

/** A step of this run that waits is told of already. */
function answersThatWait(told: ReadonlySet<string>, context: BrokerContext): UnquietFields[] {
  return waitFields(context).flatMap((wait): UnquietFields[] => {
    const { due_at_ms: _due, what, operation: _none, ...of } = wait;
    if (what !== "answer" || (of.request !== undefined && told.has(of.request))) return [];
    const says = `${whoWaits(of)} waits for ${missing(of, context)}`;
    return [{ what: "answer_waits", ...withHolds(says, context), ...of }];
  });
}

/** Whether it is this one that a fault holds nobody can say: others wait behind whoever is held. */
function withHolds(says: string, { faults }: BrokerContext): Pick<UnquietFields, "says" | "held_by"> {
  const holds = faults.holding();
  if (holds.length === 0) return { says };
  const named = holds.map(({ rule_id: id, point }) => `fault ${id} holds at ${point}`);
  return { says: `${says}, while ${named.join(", and ")}`, held_by: holds.map(({ rule_id: id }) => id) };
}

type Of = Omit<UnquietFields, "what" | "says">;

function whoWaits({ request, topic, partition, group_id: group, transactional_id: transaction }: Of): string {
  const names = [
    topic === undefined ? null : `${topic}-${partition}`,
    group === undefined ? null : `group ${group}`,
    transaction === undefined ? null : `transaction ${transaction}`,
  ].filter((name) => name !== null);
  return names.length === 0 ? `${request}` : `${request ?? "a request"} of ${names.join(", ")}`;
}

/** Of a partition: who of its replicas cannot acknowledge. */
function missing({ topic, partition }: Of, { cluster }: BrokerContext): string {
  const all = "its acknowledgement, which no step brings";
  if (topic === undefined || partition === undefined || !cluster.hasTopic(topic)) return all;
  const set = cluster.metadata(topic).partitions.find((each) => each.partition === partition);
  const gone = cluster.describeCluster().brokers.flatMap(({ brokerId, state }) => {
    return state !== "running" && set?.inSyncReplicas.includes(brokerId) === true
      ? [{ brokerId, state }]
      : [];
  });
  const [first, ...others] = gone.map(
    ({ brokerId, state }) => `broker ${brokerId}, which is in sync and ${state}`,
  );
  return first === undefined ? all : [first, ...others].join(", and for ");
}

function failedBrokers({ cluster }: BrokerContext): UnquietFields[] {
  return cluster.describeCluster().brokers.flatMap(({ brokerId, state }): UnquietFields[] => {
    if (state !== "failed") return [];
    const says = `broker ${brokerId} has failed: it takes no writes until it is stopped and started`;
    return [{ what: "broker_failed", says, broker_id: brokerId }];
  });
}

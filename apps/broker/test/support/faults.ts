/** Faults over the wire: a client that suffers them, and another that arms them. */
import type { RequestFields, ResponseFields } from "@minikafka/protocol";
import type { RawSettings } from "../../src/config.ts";
import type { Broker } from "../../src/daemon.ts";
import { openBroker, Session } from "./broker.ts";

export type FaultFields = RequestFields<"arm_fault">;

interface Experiment {
  readonly broker: Broker;
  /** Whose requests meet the faults. */
  readonly session: Session;
  /** Who arms them. */
  readonly lab: Session;
}

/** With a topic of two partitions, on a clock that stands still. */
export async function withOrders(settings: RawSettings = {}): Promise<Experiment> {
  const broker = await openBroker(settings);
  const lab = Session.open(broker);
  await lab.call("create_topic", { topic: "orders", partitions: 2 });
  return { broker, session: Session.open(broker), lab };
}

/** Returns the rule's number. */
export async function armFault(lab: Session, fields: FaultFields): Promise<number> {
  return (await lab.call("arm_fault", fields)).rule_id;
}

export async function ruleOf(
  lab: Session,
  id: number,
): Promise<ResponseFields<"list_faults">["rules"][number] | undefined> {
  return (await lab.call("list_faults")).rules.find(({ rule_id }) => rule_id === id);
}

/** How many records partition 0 of the topic has. */
export async function endOf(lab: Session): Promise<number> {
  return (await lab.call("describe_partition", { topic: "orders", partition: 0 })).log_end_offset ?? -1;
}

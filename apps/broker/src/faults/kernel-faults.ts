/** The kernel's faults, in the words of the wire. */
import { actionsAt, FAULT_POINTS, type FaultOrder, isFaultPoint } from "@minikafka/core";
import { type FaultPointView, requireFields, requirePossible, type WireOrder } from "./fault-order.ts";
import { unknownPoint } from "./unknown-point.ts";

const SCOPE = ["topic", "partition", "broker_id"] as const;

export function kernelPoints(): readonly FaultPointView[] {
  return FAULT_POINTS.map((point) => ({ point, actions: actionsAt(point), scope: SCOPE }));
}

/** Throws INVALID_REQUEST for what cannot be; what only some points can, the kernel refuses itself. */
export function kernelOrder(order: WireOrder): FaultOrder {
  const { point, times, errno } = order;
  if (!isFaultPoint(point)) throw unknownPoint(point);
  const actions = actionsAt(point);
  requirePossible(order, { point, actions, scope: SCOPE });
  const action = actions.find((each) => each === order.action) ?? "error";
  requireFields(
    order,
    action === "delay" ? ["delay_ms"] : [],
    action === "error" ? ["errno", "bytes_written"] : [],
  );
  const { topic, partition, broker_id: brokerId, bytes_written: bytesWritten, delay_ms: delayMs } = order;
  return {
    point,
    action,
    times,
    site: present({ topic, partition, brokerId }),
    ...present({ errno, bytesWritten, delayMs }),
  };
}

/** Also of a fault that the program armed which the broker is a part of. */
export function wireOrder(order: FaultOrder): WireOrder {
  const { point, action, times = "once", site, errno, bytesWritten, delayMs } = order;
  return {
    point,
    action,
    times,
    errno,
    bytes_written: bytesWritten,
    delay_ms: delayMs,
    topic: site?.topic,
    partition: site?.partition,
    broker_id: site?.brokerId,
  };
}

type Present<Fields> = { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

function present<Fields extends object>(fields: Fields): Present<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Present<Fields>;
}

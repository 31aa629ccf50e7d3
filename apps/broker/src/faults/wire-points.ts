/** All points on the way of requests, in whichever protocol they come. */
import type { FaultPointView } from "./fault-order.ts";
import { kafkaPoints } from "./kafka-points.ts";
import { requestPoints } from "./request-points.ts";

let views: ReadonlyMap<string, FaultPointView> | null = null;

export function wirePoints(): ReadonlyMap<string, FaultPointView> {
  views ??= new Map([...requestPoints(), ...kafkaPoints()]);
  return views;
}

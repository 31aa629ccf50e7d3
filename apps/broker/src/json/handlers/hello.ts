/** hello: who answers. Optional; refuses nothing. */
import { ManualClock } from "@minikafka/core";
import { OPERATIONS, PROTOCOL_VERSION } from "@minikafka/protocol";
import { PROGRAM, VERSION } from "../../version.ts";
import type { Handler } from "../handler.ts";

export const hello: Handler<"hello"> = (_request, { cluster, clock, seed, isLab }) => ({
  name: PROGRAM,
  version: VERSION,
  protocol_version: PROTOCOL_VERSION,
  cluster_id: cluster.clusterId,
  broker_ids: [...cluster.config.brokerIds],
  mode: clock instanceof ManualClock ? "manual" : "auto",
  seed,
  lab: isLab,
  operations: Object.keys(OPERATIONS),
});

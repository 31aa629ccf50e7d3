/** describe_cluster: its brokers, its clock, how much it holds, its dials. */
import { clusterFields } from "../cluster-fields.ts";
import type { Handler } from "../handler.ts";

export const describeCluster: Handler<"describe_cluster"> = (_request, context) => clusterFields(context);

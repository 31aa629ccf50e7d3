/** What `export` and `import` are told. */
import type { Codec } from "@minikafka/record";
import type { ClusterAddress } from "../kafka-cluster/cluster-address.ts";

export interface TransferOptions {
  readonly from?: ClusterAddress;
  readonly to?: ClusterAddress;
  /** The copy's name, for one topic. */
  readonly as?: string;
  readonly create: "if-missing" | "no";
  readonly replicas?: number;
  /** A copy may begin behind what is there. */
  readonly append?: true;
  readonly groups?: readonly string[];
  readonly force?: true;
  readonly follow?: true;
  readonly dryRun?: true;
  readonly compression: Codec;
  readonly state?: string;
  /** Of the cluster that is not the broker's own. */
  readonly kafkaConfig?: string;
}

/** `--groups`: those that have committed something of a topic that is copied. */
export const ALL_GROUPS = "all";

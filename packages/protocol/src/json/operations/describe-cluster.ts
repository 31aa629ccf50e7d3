import { z } from "zod";
import { operation } from "../operation.ts";

export const describeCluster = operation({
  name: "describe_cluster",
  summary:
    "Shows the cluster: its brokers with their state, how many topics and partitions, and the dials in force.",
  request: () => ({}),
  response: () =>
    z.object({
      cluster_id: z.string(),
      mode: z.enum(["auto", "manual"]),
      lab: z.boolean(),
      now_ms: z.int().describe("the broker's clock"),
      brokers: z.array(
        z.object({
          broker_id: z.int(),
          state: z.enum(["running", "failed", "stopped"]),
          partitions: z.int().describe("how many it leads, also while it is stopped"),
          offline_partitions: z.int().describe("of those, how many nobody can read or write now"),
          replicas: z.int().describe("of how many it has a copy, as leader or follower"),
          kafka: z
            .object({ host: z.string(), port: z.int() })
            .nullable()
            .describe("where Kafka's clients find it, running or not; null: it has no port for them"),
        }),
      ),
      http_port: z
        .int()
        .nullable()
        .describe("where, on the same host, metrics, health and events are told over HTTP; null: nowhere"),
      topics: z.int(),
      partitions: z.int(),
      dials: z
        .object({
          reconciliation: z.enum(["leader-epoch", "high-watermark"]),
          high_watermark_checkpoint: z.boolean(),
          ack_rule: z.enum(["high-watermark", "captured-isr"]),
          replica_lag_max_offsets: z.int().nullable().describe("null: time alone decides"),
          duplicate_window: z.int(),
          rebalance: z.enum(["barrier", "immediate"]),
        })
        .describe("which mechanisms do what Kafka does, and which what the original did"),
    }),
});

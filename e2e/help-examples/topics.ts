/** The examples of `topics`. */
import { needed, type Scene, shown } from "../support/scene.ts";

export const TOPICS: Scene = {
  title: "topics are made, looked at, changed and deleted",
  broker: "minikafka-broker --data ./data",
  takes: [
    shown("minikafka-cli topics create orders -p 2", /^created topic orders, partitions 2, replicas 1$/m),
    shown(
      "minikafka-cli topics create orders payments -p 6 --if-not-exists",
      /^topic orders exists\ncreated topic payments, partitions 6, replicas 1$/m,
    ),
    shown(
      "minikafka-cli topics create profiles -c cleanup_policy=compact",
      /^created topic profiles, partitions 1/m,
    ),
    shown("minikafka-cli topics list", /^payments +6 /m),
    shown("minikafka-cli topics list -J | jq -r '.topics[].topic'", /^orders\npayments\nprofiles\n$/),
    needed(
      `for each in 1 2; do echo '{"partition":0,"value":"paid","timestamp":1800000000000}' | minikafka-cli produce orders --jsonl -q; done`,
    ),
    needed("seq 198 | minikafka-cli produce orders -p 0 -q"),
    shown("minikafka-cli topics describe orders", /^orders +0 .* 200 /m),
    shown("minikafka-cli topics describe -J", /"topic":"profiles"/),
    shown("minikafka-cli topics offsets orders", /^orders +0 +200/m),
    shown("minikafka-cli topics offsets orders payments --at beginning", /^payments +5 +0 /m),
    shown("minikafka-cli topics offsets orders --isolation read_committed", /^orders +0 +200/m),
    shown(
      "minikafka-cli topics offsets orders -p 0 --at @2026-01-31T12:00:00Z -J",
      /"offset":0,"timestamp_ms":1800000000000/,
    ),
    shown(
      "minikafka-cli topics alter orders -c retention_ms=1h -c cleanup_policy=compact,delete",
      /^retention_ms +3600000 +topic /m,
    ),
    shown("minikafka-cli topics config orders", /^cleanup_policy +compact,delete +topic/m),
    shown("minikafka-cli topics config orders --overrides", /^retention_ms +3600000/m),
    shown(
      `minikafka-cli topics config orders -J | jq '.config[] | select(.source == "topic")'`,
      /"name": "retention_ms"/,
    ),
    shown("minikafka-cli topics alter orders --unset retention_ms", /^retention_ms +604800000 +default /m),
    shown("minikafka-cli topics grow orders 6", /^orders has 6 partitions$/m),
    shown(
      "minikafka-cli topics trim orders -p 0 --before 100 --dry-run",
      /^would delete offsets 0 to 99 of orders \[0\]$/m,
    ),
    shown("minikafka-cli topics trim orders -p 0 --before 100", /^orders \[0\] begins at offset 100$/m),
    shown("minikafka-cli topics trim orders -p 0 --before end", /^orders \[0\] begins at offset 200$/m),
    shown(
      "minikafka-cli topics delete orders --dry-run",
      /^would delete topic orders: 6 partitions, 0 offsets$/m,
    ),
    shown("minikafka-cli topics delete orders", /^deleted topic orders/m),
    shown("minikafka-cli topics delete orders payments --if-exists", /^deleted topic payments/m),
  ],
};

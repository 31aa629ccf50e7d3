/** The examples of what looks into a cluster's brokers, replicas and logs, and moves them. */
import { endless, needed, type Scene, shown } from "../support/scene.ts";

export const CLUSTER: Scene = {
  title: "replicas are looked at, moved and taken away, and the process dies",
  broker: "minikafka-broker --data ./data --brokers 3 --lab --log-level fatal",
  isProcess: true,
  takes: [
    needed("minikafka-cli topics create orders -p 2 -r 3"),
    needed("minikafka-cli produce orders -p 1 -v paid --acks all"),
    shown("minikafka-cli describe", /^3 +running +0 +0 +2$/m),
    shown("minikafka-cli describe orders", /^orders +1 +2 +0 +2,3,1 /m),
    shown("minikafka-cli describe orders -p 1", /^SEGMENT .*\n0 +1 /m),
    shown("minikafka-cli describe orders -p 1 -J | jq .segments", /"base_offset": 0/),
    shown("minikafka-cli replicas orders", /^1 +0 +3 +follower +1 +1 +yes/m),
    shown("minikafka-cli replicas orders -p 0 -J", /"partition":0/),
    endless(
      "minikafka-cli watch orders -k isr_changed -k leader_changed",
      /isr_changed orders\[1\] from=2,3,1 to=2,1 /,
      {
        code: 0,
        meanwhile: "minikafka-cli remove-from-isr orders 3 -p 1; minikafka-cli rejoin orders 3 -p 1",
      },
    ),
    endless("minikafka-cli watch", / appended orders\[\d\]@\d /, {
      code: 0,
      meanwhile: "minikafka-cli produce orders -v paid -q",
    }),
    endless("minikafka-cli watch --requests", /request_taken/, { code: 0, meanwhile: "minikafka-cli ping" }),
    endless("minikafka-cli watch -k request_done -J", /"kind":"request_done"/, {
      code: 0,
      meanwhile: "minikafka-cli ping",
    }),
    shown("minikafka-cli watch -k high_watermark_moved -n 1 -J", /"kind":"high_watermark_moved"/, {
      meanwhile: "minikafka-cli produce orders -v paid -q",
    }),
    shown("minikafka-cli promote orders 2 -p 0", /^orders \[0\]: leader 2, epoch 1, in sync 1,2,3$/m),
    shown("minikafka-cli rejoin orders 1 -p 0", /^orders \[0\]: replica 1 in sync, batches copied 0$/m),
    shown("minikafka-cli remove-from-isr orders 3 -p 0", /^orders \[0\]: in sync 1,2$/m),
    shown("minikafka-cli broker stop 1", /^stopped broker 1 cleanly$/m),
    shown("minikafka-cli broker start 1", /^started broker 1, which had ended cleanly$/m),
    shown("minikafka-cli broker crash", /^the broker's process is gone$/m),
  ],
};

export const LOGS: Scene = {
  title: "the files of a log are looked into",
  broker: "minikafka-broker --data ./data",
  takes: [
    needed("minikafka-cli topics create orders"),
    needed("seq 1100 | minikafka-cli produce orders -p 0 -q --acks all > landed"),
    shown("minikafka-cli log dump orders -p 0 --records", /payload: 1100$/m),
    shown("minikafka-cli log dump orders -p 0 -o 100 -n 10 -J", /"base_offset":\d+,"next_offset":1100,/),
    shown("minikafka-cli log dump ./data/broker-1/orders-0", /^baseOffset: 0 lastOffset: 1099 /m),
    shown("minikafka-cli log verify ./data", /orders-0: sound, 1 segment, /),
    shown("minikafka-cli log verify orders -p 0", /^orders-0: sound, 1 segment, /m),
    shown("minikafka-cli log find orders -p 0 --offset 1042", /^offset: 1042 /m),
    shown(
      "minikafka-cli log find ./data/broker-1/orders-0 --time 2026-01-31T12:00:00Z",
      /^offset: 0 .* placeInBatch: 0$/m,
    ),
  ],
};

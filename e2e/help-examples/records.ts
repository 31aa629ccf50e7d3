/** The examples of what writes and reads records, and of what measures that. */
import { endless, needed, type Scene, shown } from "../support/scene.ts";

export const RECORDS: Scene = {
  title: "records are written and read",
  broker: "minikafka-broker --data ./data",
  takes: [
    shown("minikafka-cli ping", /ms/),
    shown("until minikafka-cli ping -q >/dev/null 2>&1; do sleep 1; done", /^$/),
    needed("minikafka-cli topics create orders copy payments -p 2"),
    needed("printf 'alice:created\\nbob:created\\n' > pairs.txt"),
    shown("echo created | minikafka-cli produce orders -k alice", /^partition 1, offset 0$/m),
    shown(
      "minikafka-cli produce orders -v paid -k alice -H source=web --acks all",
      /^partition 1, offset 1$/m,
    ),
    shown("minikafka-cli produce orders -K : --idempotent < pairs.txt", /^partition 1, offset 2$/m),
    shown(
      "minikafka-cli produce orders -K : --transactional-id import < pairs.txt",
      /committed the transaction of import/,
    ),
    shown(
      "minikafka-cli fetch orders -e -J | minikafka-cli produce copy --jsonl --compression zstd",
      /^partition 1, offset 3$/m,
    ),
    shown("minikafka-cli fetch orders -e", /^paid$/m),
    shown("minikafka-cli fetch orders -p 1 -e -J", /"key":"alice","value":"paid"/),
    endless("minikafka-cli fetch orders -o -10 -f '%p %o %k=%v\\n'", /^1 1 alice=paid$/m),
    shown("minikafka-cli fetch orders -o end -n 1 --timeout 30s", /^late$/m, {
      meanwhile: "minikafka-cli produce orders -v late",
    }),
    shown("minikafka-cli fetch orders -e --isolation read_committed", /^created$/m),
    endless("minikafka-cli consume orders", /^next$/m, { meanwhile: "minikafka-cli produce orders -v next" }),
    endless("minikafka-cli consume orders -g billing", /^paid$/m),
    needed("minikafka-cli produce payments -v paid"),
    endless("minikafka-cli consume orders payments -g billing -f '%t %p %o %v\\n'", /^payments \d 0 paid$/m),
    needed("minikafka-cli produce orders -v shipped"),
    shown("minikafka-cli consume orders -g billing -n 1 -J", /"value":"shipped"/),
    endless("minikafka-cli consume orders -g audit --isolation read_committed", /^paid$/m),
    shown(`minikafka-cli raw '{"operation":"hello"}'`, /"ok":true,"name":"minikafka"/),
    shown(`minikafka-cli raw '{"operation":"fetch","topic":"orders","partition":0,"offset":0}'`, /"ok":true/),
    needed(`printf '{"operation":"ping"}\\n{"operation":"list_topics"}\\n' > requests.jsonl`),
    shown("minikafka-cli raw < requests.jsonl", /^\{"ok":true\}\n\{"ok":true,.*orders/),
  ],
};

/** Ten seconds, or a gigabyte: Ctrl-C at the first record. What was measured until then is printed, of a fetch that is yet to begin nothing. */
const CUT_SHORT = { code: 130, untilEvent: "appended" };
const LINE = /^\d+ records .* ms 99\.9th\.$/m;

export const BENCHES: Scene = {
  title: "a running broker is measured",
  broker: "minikafka-broker --data ./data",
  takes: [
    needed("minikafka-cli topics create orders"),
    needed("seq 100 | minikafka-cli produce orders -q > landed"),
    shown("minikafka-cli bench produce", LINE, CUT_SHORT),
    shown("minikafka-cli bench produce --records 1000000 --record-size 1000 --acks all", LINE, CUT_SHORT),
    shown(
      "minikafka-cli bench produce --throughput 1000 --seconds 10 -J",
      /"records_per_second":/,
      CUT_SHORT,
    ),
    shown("minikafka-cli bench fetch", /^$/, CUT_SHORT),
    shown("minikafka-cli bench fetch --topic orders --seconds 5", /^100 records fetched/m),
    shown("minikafka-cli bench e2e", /^\d+ records sent and received, /m, CUT_SHORT),
    shown("minikafka-cli bench e2e --acks all --records 200", /^200 records sent and received/m),
    shown("minikafka-cli bench groups", /^20 joins in .* ms 99\.9th\.$/m),
    shown("minikafka-cli bench groups --members 3 --heartbeat 50ms --joins 5 -J", /"joins":5/),
    shown("minikafka-cli bench start", /^10 starts in .* ms 99\.9th\.$/m),
    shown("minikafka-cli bench start --brokers 3 --acks all --starts 3", /^3 starts in /m),
  ],
};

/** The examples of what holds time still, takes steps by hand and breaks things on purpose. */
import { endless, needed, type Scene, shown } from "../support/scene.ts";
import { OPEN } from "./groups.ts";

export const STEPS: Scene = {
  title: "time stands still, steps are taken, and states are gone back to",
  broker: "minikafka-broker --data ./lab --clock manual --brokers 3",
  takes: [
    needed("minikafka-cli topics create orders -r 3 -c retention_ms=1h"),
    needed("minikafka-cli topics create profiles -c cleanup_policy=compact"),
    needed("printf 'alice:1\\nalice:2\\n' | minikafka-cli produce profiles -K :"),
    needed("minikafka-cli produce orders -v created"),
    shown("minikafka-cli step next", /^replicate orders /m),
    shown("minikafka-cli step next orders -J", /"operation":"replicate_once","fields":\{"topic":"orders"/),
    shown("minikafka-cli step replicate orders", /^orders +0 +3 +1 +78 +-$/m),
    shown("minikafka-cli step until-quiet", /^flush +done /m),
    shown("minikafka-cli step isr", /nobody left or joined/),
    shown("minikafka-cli clock", /^1970-01-01T00:00:00\.000Z {2}0$/m),
    shown("minikafka-cli clock advance 10s", /^1970-01-01T00:00:10\.000Z {2}10000$/m),
    shown(
      "minikafka-cli clock advance --to-next-deadline && minikafka-cli step next",
      /retention of orders-0 on 1, .*\nSTEP +WOULD\nretention orders /m,
    ),
    shown(
      "minikafka-cli clock advance 8h && minikafka-cli step retention orders",
      /^orders +0 +3 +0 +1 +78 +time$/m,
    ),
    shown(
      "minikafka-cli step roll profiles && minikafka-cli step flush && minikafka-cli step compact profiles",
      /^profiles +0 +1 +1->1 +\d+->\d+ +1 +1 +2$/m,
    ),
    endless("minikafka-cli trace", /cluster_opened/, { code: 0 }),
    shown("minikafka-cli trace -e -J", /"kind":"cluster_opened"/),
    shown("minikafka-cli trace --save experiment.ndjson", /^% \d+ lines in .*experiment\.ndjson$/m, {
      untilEvent: "appended",
      meanwhile: "minikafka-cli produce profiles -k alice -v 3",
    }),
    shown("minikafka-cli snapshot save before", /^before: \d+ entries, at \d+ ms$/m),
    shown("minikafka-cli snapshot diff before", /no difference/),
    shown("minikafka-cli snapshot load before", /^before: \d+ entries, at \d+ ms$/m),
    shown("minikafka-cli snapshot list -J", /"name":"before"/),
    shown("minikafka-cli trace replay experiment.ndjson", /^\. \d+ .* topic_created profiles /m),
    shown("minikafka-cli trace replay experiment.ndjson --check", /^\d+ entries, and each is as it was$/m),
  ],
};

export const EXPIRING: Scene = {
  title: "the time of a transaction is over",
  broker: "minikafka-broker --data ./lab --clock manual",
  takes: [
    needed(OPEN),
    shown("minikafka-cli step expire-transactions", /loaded \d partitions of __transaction_state/),
    shown("minikafka-cli clock advance 61s && minikafka-cli step expire-transactions", /^billing +aborted$/m),
  ],
};

export const FAULTS: Scene = {
  title: "things break on purpose",
  broker: "minikafka-broker --data ./data --lab",
  takes: [
    needed("minikafka-cli topics create orders"),
    shown("minikafka-cli fault points request.", /^request\.produce /m),
    shown(
      "minikafka-cli fault arm request.produce close-after",
      /^armed fault 1: close-after at request\.produce, once$/m,
    ),
    shown("minikafka-cli produce orders -v paid --idempotent", /^partition 0, offset 0$/m),
    shown("minikafka-cli fault list", /^1 +request\.produce +close-after +once +- +2 +1 +0$/m),
    shown(
      "minikafka-cli fault assert && minikafka-cli fault disarm",
      /^fault 1 fired once in 2 hits\ndisarmed 1 fault$/m,
    ),
    shown(
      "minikafka-cli fault arm request.produce error --code NOT_ENOUGH_REPLICAS",
      /^armed fault 2: error NOT_ENOUGH_REPLICAS /m,
    ),
    shown(
      "minikafka-cli fault arm request.fetch delay --delay 2s --always -t orders",
      /^armed fault 3: delay 2s at request\.fetch, always /m,
    ),
    shown(
      "minikafka-cli fault arm kafka.Produce error --code NOT_LEADER_OR_FOLLOWER -t orders",
      /^armed fault 4: error NOT_LEADER_OR_FOLLOWER /m,
    ),
    shown(
      "minikafka-cli fault arm log.flush.before_sync crash --nth 3",
      /^armed fault 5: crash at log\.flush\.before_sync, nth 3$/m,
    ),
  ],
};

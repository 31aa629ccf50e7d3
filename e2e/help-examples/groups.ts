/** The examples of what groups have committed, and of transactions. */
import { needed, type Scene, shown } from "../support/scene.ts";

export const GROUPS: Scene = {
  title: "groups are looked at, moved and deleted",
  broker: "minikafka-broker --data ./data",
  takes: [
    needed("minikafka-cli topics create orders -p 3"),
    needed("for each in 0 1 2; do seq 50 | minikafka-cli produce orders -p $each -q; done"),
    needed("for each in billing shipping; do minikafka-cli consume orders -g $each -e -q > /dev/null; done"),
    shown("minikafka-cli groups list", /^billing +/m),
    shown("minikafka-cli groups list -J | jq -r '.groups[].group_id'", /^billing\nshipping\n$/),
    shown("minikafka-cli groups describe billing", /^billing +orders +2 +50 +50 +0 /m),
    shown("minikafka-cli groups describe billing --members", /the group billing has no members/),
    shown("minikafka-cli groups describe billing -J | jq '.groups[0].partitions[].lag'", /^0\n0\n0\n$/),
    shown("minikafka-cli check", /^OK/m),
    shown("minikafka-cli check -J | jq -r .status", /^ok$/im),
    shown("minikafka-cli check --group billing --lag-warning 100 --lag-critical 1000", /^OK.*billing/m),
    shown("minikafka-cli check --transaction-age-warning 1m --transaction-age-critical 15m", /^OK/m),
    shown("minikafka-cli groups seek billing --to-earliest", /^billing +orders +2 +50 +0$/m),
    shown(
      "minikafka-cli groups seek billing --shift-by -10 --topic orders:0,2 --execute",
      /^billing +orders +2 +50 +40$/m,
    ),
    shown(
      "minikafka-cli groups seek billing --to-time 2026-01-31T12:00:00Z --topic orders --execute",
      /billing goes on from there in 3 partitions/m,
    ),
    shown("minikafka-cli offsets get billing", /^billing +orders +2 +0 /m),
    shown("minikafka-cli offsets get billing orders:1", /^billing +orders +1 +0 /m),
    shown("minikafka-cli offsets get billing -J | jq .offsets", /"topic": "orders"/),
    shown(
      "minikafka-cli offsets commit billing orders:0=42",
      /^billing goes on at offset 42 of orders \[0\]$/m,
    ),
    shown(
      "minikafka-cli offsets commit billing orders:0=42 orders:1=17 --metadata 'after the repair'",
      /^billing goes on at offset 17 of orders \[1\]$/m,
    ),
    shown(
      "minikafka-cli offsets delete billing orders:0,2",
      /^deleted offset 42 of billing for orders \[0\]$/m,
    ),
    shown("minikafka-cli offsets delete billing orders", /^deleted offset 17 of billing for orders \[1\]$/m),
    shown(
      "minikafka-cli groups delete billing --dry-run",
      /^would delete group billing: 0 committed offsets$/m,
    ),
    shown("minikafka-cli groups delete billing", /^deleted group billing$/m),
    shown(
      "minikafka-cli groups delete billing shipping --if-exists",
      /^there is no group billing\ndeleted group shipping$/m,
    ),
    needed("minikafka-cli consume orders -g billing & minikafka-cli consume orders -g billing &"),
    shown(
      "minikafka-cli groups wait billing --members 2 --state stable",
      /^the group billing is stable, with 2 members /m,
    ),
    shown("minikafka-cli groups wait billing --drained --timeout 1m", /^the group billing is stable, /m),
  ],
};

const ABORTED = /^aborted the open transaction of billing$/m;

/** A new instance of a transactional id, and a transaction that it has open. */
export const OPEN = [
  `minikafka-cli raw '{"operation":"init_producer","transactional_id":"billing"}' > producer`,
  `minikafka-cli raw "$(sed 's/"ok":true/"operation":"begin_transaction","transactional_id":"billing"/' producer)"`,
].join("; ");
const WRITE =
  'minikafka-cli raw "$(sed \'s/"ok":true/"operation":"produce","transactional_id":"billing","topic":"orders","value_b64":"YQ==","base_sequence":0,"acks":"all"/\' producer)"';

export const TRANSACTIONS: Scene = {
  title: "transactions are looked at and aborted",
  broker: "minikafka-broker --data ./data",
  takes: [
    needed("minikafka-cli topics create orders"),
    // Ids begin at 0, and each new instance of one has the next epoch; a coordinator that is loaded draws one id for each.
    needed(
      `minikafka-cli raw '{"operation":"init_producer","transactional_id":"audit"}'; minikafka-cli tx abort audit`,
    ),
    needed("minikafka-cli tx list"),
    needed(`until minikafka-cli raw '{"operation":"init_producer"}' | grep '"producer_id":2,'; do :; done`),
    needed(
      `for each in 1 2 3 4 5 6 7; do minikafka-cli raw '{"operation":"init_producer","transactional_id":"billing"}'; done`,
    ),
    needed(OPEN),
    needed(WRITE),
    shown("minikafka-cli tx list", /^billing +ongoing +3 +7 /m),
    shown("minikafka-cli tx list --state ongoing --state prepare_commit", /^billing +ongoing/m),
    shown("minikafka-cli tx list --state ongoing", /^billing +ongoing/m),
    shown("minikafka-cli tx list -J | jq -r '.transactions[].transactional_id'", /^billing$/m),
    shown("minikafka-cli tx describe billing", /^STATE +ongoing$/m),
    shown("minikafka-cli tx describe billing -J | jq .partitions", /"topic": "orders"/),
    shown(
      "minikafka-cli tx abort billing --producer-id 3 --producer-epoch 7",
      /^aborted the transaction of billing by producer 3 of epoch 7$/m,
    ),
    needed(OPEN),
    shown("minikafka-cli tx abort billing", ABORTED),
    needed(OPEN),
    shown("minikafka-cli tx abort billing -J | jq .aborted", /^true$/m),
  ],
};

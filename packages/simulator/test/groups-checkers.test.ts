import { describe } from "vitest";
import { testExcused, testFlagged, testSound } from "./judged-cases.ts";
import { ORDERS } from "./made-history.ts";

describe("a history of groups", () => {
  testFlagged([
    {
      checker: "generation-goes-back",
      what: "a restart begins to count anew",
      make: (history) => {
        history.join("one", 3, [ORDERS]);
        history.crash("kept");
        history.join("two", 1, []);
      },
    },
    {
      checker: "stale-generation",
      what: "a commit of an older generation is taken",
      make: (history) => {
        history.join("one", 1, [ORDERS]);
        history.join("two", 2, []);
        history.commit(3, ["one", 1]);
      },
    },
    {
      checker: "stale-generation",
      what: "a transaction's offsets of an older generation are taken",
      make: (history) => {
        history.join("one", 1, [ORDERS]);
        history.join("two", 2, []);
        history.begin("t");
        history.sendOffsets("t", 3, 1);
      },
    },
    {
      checker: "stale-generation",
      what: "a heartbeat of an older generation is heard",
      make: (history) => {
        history.join("one", 1, [ORDERS]);
        history.join("two", 2, []);
        history.heartbeat("one", 1, [ORDERS]);
      },
    },
    {
      checker: "two-owners",
      what: "one generation gives a partition to two members",
      make: (history) => {
        history.join("one", 2, [ORDERS]);
        history.join("two", 2, [ORDERS]);
      },
    },
    {
      checker: "commit-of-another",
      what: "a member commits what another was given in this generation",
      make: (history) => {
        history.join("one", 2, [ORDERS]);
        history.commit(3, ["two", 2]);
      },
    },
    {
      checker: "overlapping-owners",
      what: "a second member believes before the first one's session is over",
      make: (history) => {
        history.believes("one", [ORDERS], 100);
        history.nowMs = 50;
        history.believes("two", [ORDERS], 150);
      },
    },
    {
      checker: "outsider-commit",
      what: "a consumer that is no member commits while there is one",
      make: (history) => {
        history.join("one", 1, [ORDERS]);
        history.commit(3, null);
        history.heartbeat("one", 1, [ORDERS]);
      },
    },
    {
      checker: "committed-offset",
      what: "an acknowledged commit is lost in a power cut",
      make: (history) => {
        history.commit(3, null);
        history.crash("lost");
        history.offsets(null);
      },
    },
    {
      checker: "committed-offset",
      what: "a refused commit is read",
      make: (history) => {
        history.commit(3, null);
        history.commit(9, null, "failed");
        history.offsets(9);
      },
    },
    {
      checker: "committed-offset",
      what: "an older commit comes back",
      make: (history) => {
        history.commit(3, null);
        history.commit(4, null);
        history.offsets(3);
      },
    },
    {
      checker: "committed-offset",
      what: "it was committed by nobody",
      make: (history) => history.offsets(3),
    },
    {
      checker: "committed-offset",
      what: "a late commit of a generation that is over counts after a later one's",
      make: (history) => {
        history.commit(3, ["one", 1], "unknown");
        history.commit(4, ["two", 2]);
        history.offsets(3);
      },
    },
  ]);

  testSound([
    {
      checker: "generation-goes-back",
      what: "generations grow",
      make: (history) => {
        history.join("one", 1, [ORDERS]);
        history.join("two", 2, []);
        history.heartbeat("one", 2, [ORDERS], 1);
      },
    },
    {
      checker: "stale-generation",
      what: "what an older generation asks is refused",
      make: (history) => {
        history.join("one", 1, [ORDERS]);
        history.join("two", 2, []);
        history.commit(3, ["one", 1], "failed");
      },
    },
    {
      checker: "two-owners",
      what: "the owner is told again",
      make: (history) => {
        history.join("one", 1, [ORDERS]);
        history.heartbeat("one", 1, [ORDERS]);
      },
    },
    {
      checker: "commit-of-another",
      what: "the owner commits",
      make: (history) => {
        history.join("one", 1, [ORDERS]);
        history.commit(3, ["one", 1]);
      },
    },
    {
      checker: "overlapping-owners",
      what: "the second begins when the first has let go, or its session is over",
      make: (history) => {
        history.believes("one", [ORDERS], 100);
        history.believes("one", [], 100);
        history.believes("two", [ORDERS], 150);
        history.nowMs = 150;
        history.believes("three", [ORDERS], 300);
      },
    },
    {
      checker: "outsider-commit",
      what: "an outsider is refused while there is a member",
      make: (history) => {
        history.join("one", 1, [ORDERS]);
        history.commit(3, null, "failed");
        history.heartbeat("one", 1, [ORDERS]);
      },
    },
    {
      checker: "committed-offset",
      what: "a commit of which nobody was told may count",
      make: (history) => {
        history.commit(3, null);
        history.commit(4, null, "unknown");
        history.offsets(4);
        history.offsets(3);
      },
    },
  ]);

  testExcused([
    {
      what: "with its topic a group's offset goes",
      make: (history) => {
        history.commit(3, null);
        history.recorder.asked("delete_topic", "operator", { topic: "orders" }).ok({});
        history.offsets(null);
      },
    },
    {
      what: "under immediate a second member may believe at once",
      make: (history) => {
        history.started({ rebalance: "immediate" });
        history.believes("one", [ORDERS], 100);
        history.believes("two", [ORDERS], 150);
      },
    },
    {
      what: "an unclean promotion of the offsets lost a commit and a generation",
      make: (history) => {
        history.join("one", 3, [ORDERS]);
        history.commit(3, ["one", 3]);
        history.lead("__consumer_offsets/1", true);
        history.offsets(null);
        history.join("two", 1, [ORDERS]);
      },
    },
  ]);
});

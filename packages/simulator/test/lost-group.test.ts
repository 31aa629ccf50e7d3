/** What is held against nobody once a group's coordinator has lost what it knew, and what still is. */
import { describe } from "vitest";
import { testExcused, testFlagged } from "./judged-cases.ts";
import { type MadeHistory, ORDERS } from "./made-history.ts";

function loseGroups(history: MadeHistory): void {
  history.lead("__consumer_offsets/1", true);
}

describe("a history in which a group was lost", () => {
  testFlagged([
    {
      checker: "overlapping-owners",
      what: "two believe at a time, and the group was lost before either of them asked",
      make: (history) => {
        loseGroups(history);
        history.believes("one", [ORDERS], 100);
        history.believes("two", [ORDERS], 150);
      },
    },
    {
      checker: "overlapping-owners",
      what: "two believe at a time, and while the first one's answer was on its way another led that was in sync",
      make: (history) => {
        history.believes("one", [ORDERS], 100, () => history.lead("__consumer_offsets/1"));
        history.believes("two", [ORDERS], 150);
      },
    },
    {
      checker: "overlapping-owners",
      what: "two believe at a time, and the group is lost afterwards",
      make: (history) => {
        history.believes("one", [ORDERS], 100);
        history.believes("two", [ORDERS], 150);
        loseGroups(history);
      },
    },
    {
      checker: "two-owners",
      what: "one generation gives a partition to two, and the group was lost before either of them asked",
      make: (history) => {
        loseGroups(history);
        history.join("one", 1, [ORDERS], 1, () => history.join("two", 1, [ORDERS]));
      },
    },
    {
      checker: "outsider-commit",
      what: "a consumer that is no member commits while there is one, who is a member anew since the group was lost",
      make: (history) => {
        history.join("one", 1, [ORDERS]);
        loseGroups(history);
        history.join("one", 1, [ORDERS]);
        history.commit(3, null);
        history.heartbeat("one", 1, [ORDERS]);
      },
    },
  ]);

  testExcused([
    {
      what: "the group was lost while the answer was on its way that has the first one believe",
      make: (history) => {
        history.believes("one", [ORDERS], 100, () => loseGroups(history));
        history.believes("two", [ORDERS], 150);
      },
    },
    {
      what: "the group was lost while the answer was on its way that has the second one believe, and the first asked afterwards",
      make: (history) => {
        history.believes("two", [ORDERS], 150, () => {
          loseGroups(history);
          history.believes("one", [ORDERS], 100);
        });
      },
    },
    {
      what: "a generation of a lost group and one of the next gave a partition to two, and the earlier answer came last",
      make: (history) => {
        history.join("one", 1, [ORDERS], 1, () => {
          loseGroups(history);
          history.join("two", 1, [ORDERS]);
        });
      },
    },
    {
      what: "an outsider commits when the one member has left, who joins what the lost group begins anew with",
      make: (history) => {
        history.join("one", 1, [ORDERS]);
        history.recorder.asked("leave", "one", { groupId: "g", memberId: "one" }).ok({});
        history.commit(3, null);
        loseGroups(history);
        history.join("one", 1, [ORDERS]);
      },
    },
  ]);
});

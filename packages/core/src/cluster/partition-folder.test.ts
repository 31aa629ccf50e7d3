import { expect, test } from "vitest";
import { siteOfPath } from "./partition-folder.ts";

test.each([
  ["/data/broker-2/orders-1/00000000000000000000.log", { brokerId: 2, topic: "orders", partition: 1 }],
  ["/data/broker-2/a-b.c-10", { brokerId: 2, topic: "a-b.c", partition: 10 }],
  ["/data/broker-12/clean-shutdown.json", { brokerId: 12 }],
  ["/data/broker-1", { brokerId: 1 }],
  ["/data/metadata.json", undefined],
  ["/data", undefined],
  ["/elsewhere/broker-1/orders-0", undefined],
])("%s is told to be %o's", (path, site) => {
  expect(siteOfPath("/data", path)).toEqual(site);
});

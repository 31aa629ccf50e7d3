import { expect, test } from "vitest";
import { OpenConnections } from "../src/connections/open-connections.ts";
import { OutputBudget } from "../src/connections/output-budget.ts";
import { Deadlines } from "../src/deadlines.ts";
import { BrokerPort } from "../src/kafka/broker-port.ts";
import { isReachable } from "./support/reachable.ts";

function makePort(): BrokerPort {
  const realTime = Deadlines.ofRealTime();
  const output = { pauseBytes: 1024, bytesMax: 1024, stallMs: 1_000, eventBytesMax: 512 };
  const connections = new OpenConnections({
    limits: { requestsInHandMax: 1, idleMs: 1_000, lingerMs: 0, output },
    budget: new OutputBudget({ bytesMax: 1024, patienceMs: 1_000 }, realTime),
    ...{ realTime, connectionsMax: 1, onClosing: () => undefined, onRefused: () => undefined },
  });
  const dispatcher = { dispatch: () => ({ answer: null, hasPlace: true, holdsBack: null }) };
  const parts = { connections, dispatcher, frameBytesMax: 1024, jsonAddress: null };
  return new BrokerPort(1, { host: "127.0.0.1", port: 0 }, parts);
}

test("a port that is closed while it is being opened stays closed", async () => {
  const port = makePort();
  const opening = port.open();
  port.close();
  await opening;
  expect(port.isOpen).toBe(false);
  expect(port.address.port).toBeGreaterThan(0);
  expect(await isReachable(port.address.port)).toBe(false);
});

test("a port that is opened again listens where it did before", async () => {
  const port = makePort();
  await port.open();
  const { address } = port;
  expect(await isReachable(address.port)).toBe(true);
  port.close();
  expect(await isReachable(address.port)).toBe(false);
  await port.open();
  expect(port.address).toEqual(address);
  expect(await isReachable(address.port)).toBe(true);
  port.close();
});

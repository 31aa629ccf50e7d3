import { BrokerCluster, CrashSignal, FaultPoints, ManualClock, noTrace, SeededRandom } from "@minikafka/core";
import { MemoryDisk } from "@minikafka/core/testing";
import { expect, test } from "vitest";
import { Turns } from "../connections/turns.ts";
import { Watching } from "../connections/watching.ts";
import { Deadlines } from "../deadlines.ts";
import { EventFeed } from "../event-feed.ts";
import { Delays } from "../faults/delays.ts";
import { FaultBook } from "../faults/fault-book.ts";
import { NO_SITE } from "../kafka/kafka-site.ts";
import { Parking } from "../parking.ts";
import { Service } from "../service.ts";
import { Dispatcher } from "./dispatch.ts";

async function openDispatcher() {
  const clock = new ManualClock();
  const disk = new MemoryDisk();
  const env = { clock, disk, random: new SeededRandom(1), trace: noTrace, faults: new FaultPoints() };
  const cluster = await BrokerCluster.open({ dataFolder: "/data" }, env);
  const deadlines = Deadlines.ofSteppedTime(clock);
  const faults: { faultId: string; operation: string; error: unknown }[] = [];
  const broken: Error[] = [];
  const service = new Service();
  const dispatcher = new Dispatcher({
    service,
    context: {
      cluster,
      clock,
      isLab: true,
      deadlines,
      parking: new Parking(cluster, deadlines),
      pause: async () => undefined,
      hold: (work) => work,
      seed: null,
      past: null,
      kafka: NO_SITE,
      httpPort: null,
      events: new EventFeed(clock),
      faults: new FaultBook(env.faults, noTrace),
      delays: new Delays(deadlines),
      crash: (at) => {
        throw new CrashSignal(at);
      },
    },
    newFaultId: () => env.random.uuid(),
    onFault: (faultId, operation, error) => faults.push({ faultId, operation, error }),
    onBroken: (error) => broken.push(error),
  });
  const dispatch = async (request: object): Promise<{ [name: string]: unknown } | null> => {
    const dispatched = dispatcher.dispatch(Buffer.from(JSON.stringify(request)), {
      number: 1,
      waits: new Set(),
      watching: new Watching({ unsentBytes: 0, write: () => undefined, flush: () => undefined }, 1_000),
      groupTurns: new Turns(),
      transactionTurns: new Turns(),
      afterAnswer: () => undefined,
      refuse: () => undefined,
      cut: () => undefined,
    });
    const answer = await dispatched.answer;
    return answer === null ? null : JSON.parse(answer.toString());
  };
  return { cluster, disk, service, dispatch, faults, broken };
}

test("a fault of ours is answered with an id that the log has too, and with nothing of its inside", async () => {
  const { cluster, dispatch, faults, broken } = await openDispatcher();
  cluster.listTopics = () => {
    throw new TypeError("secret of the inside");
  };
  const answer = await dispatch({ operation: "list_topics", id: 7 });
  expect(answer).toMatchObject({ ok: false, id: 7, code: "INTERNAL_ERROR", retriable: false });
  expect(JSON.stringify(answer)).not.toMatch(/secret|\.ts|at /);
  expect(faults).toMatchObject([{ operation: "list_topics", error: { message: "secret of the inside" } }]);
  expect(answer?.message).toContain(faults[0]?.faultId);
  expect(broken).toEqual([]);
  expect(await dispatch({ operation: "ping" })).toEqual({ ok: true });
});

test("a broken assertion and a dead kernel stop the broker", async () => {
  const { disk, dispatch, broken } = await openDispatcher();
  await dispatch({ operation: "create_topic", topic: "orders", partitions: 1 });
  disk.powerOff();
  expect(await dispatch({ operation: "produce", topic: "orders" })).toMatchObject({ code: "INTERNAL_ERROR" });
  expect(broken).toMatchObject([{ name: "CrashSignal" }]);
});

test("once it stops, every request is refused and nothing takes effect", async () => {
  const { cluster, service, dispatch } = await openDispatcher();
  service.stop();
  const create = { operation: "create_topic", topic: "orders", partitions: 1 };
  expect(await dispatch(create)).toMatchObject({ code: "SHUTTING_DOWN", retriable: true });
  expect(cluster.hasTopic("orders")).toBe(false);
  const oneWay = { operation: "produce", topic: "orders", acks: "0", one_way: true };
  expect(await dispatch(oneWay)).toBeNull();
});

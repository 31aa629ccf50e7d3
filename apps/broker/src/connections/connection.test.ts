import type { Duplex } from "node:stream";
import { ManualClock } from "@minikafka/core/testing";
import { expect, test, vi } from "vitest";
import { settle } from "../../test/support/broker.ts";
import { Deadlines } from "../deadlines.ts";
import { EventFeed } from "../event-feed.ts";
import { inProcessLink } from "../in-process-link.ts";
import { jsonSpeech } from "../json/speech.ts";
import { Parking, type WaitHolder } from "../parking.ts";
import type { Client } from "./client.ts";
import { Connection } from "./connection.ts";
import type { ConnectionLimits } from "./connection-options.ts";
import { OutputBudget } from "./output-budget.ts";
import type { Answer, Dispatched } from "./speech.ts";
import { TurnLine } from "./turn-line.ts";

const IDLE_MS = 1_000;
const LINGER_MS = 50;
const STALL_MS = 300;
const FRAME_BYTES_MAX = 1_000;
const LIMITS = {
  requestsInHandMax: 3,
  idleMs: IDLE_MS,
  lingerMs: LINGER_MS,
  output: { pauseBytes: 100_000, bytesMax: 200_000, stallMs: STALL_MS, eventBytesMax: 50_000 },
} satisfies ConnectionLimits;

/**
 * A connection whose requests the test answers itself: a line `name` waits until it is answered, `now:TEXT` is answered at
 * once, `#name` has an id, `poll` is a long poll, `late poll` one that begins when it is answered, `watch` a
 * watch of everything.
 */
class Bench {
  readonly client: Duplex;
  readonly connection: Connection;
  readonly taken: string[] = [];
  readonly received: string[] = [];
  readonly reasons: string[] = [];
  readonly levels: string[] = [];
  readonly clock = new ManualClock();
  readonly deadlines = Deadlines.ofSteppedTime(this.clock);
  readonly parking = new Parking({ onVisible: () => () => undefined }, this.deadlines);
  readonly feed = new EventFeed(this.clock);
  isClosed = false;
  readonly #waiting = new Map<string, (line: Answer) => void>();

  constructor({
    isReading = true,
    limits = LIMITS,
    turnLine = new TurnLine(),
  }: { isReading?: boolean; limits?: ConnectionLimits; turnLine?: TurnLine } = {}) {
    const [here, there] = inProcessLink();
    this.client = there;
    this.connection = new Connection(here, {
      speech: jsonSpeech(
        { dispatch: (line, client) => this.#dispatch(line.toString(), client) },
        FRAME_BYTES_MAX,
      ),
      limits,
      realTime: this.deadlines,
      budget: new OutputBudget({ bytesMax: 1_000_000, patienceMs: 10_000 }, this.deadlines),
      turnLine,
      onClosing: (reason, level) => {
        this.reasons.push(reason);
        this.levels.push(level);
      },
      onRefused: ({ reason }) => this.reasons.push(reason),
    });
    there.on("error", () => undefined);
    here.on("close", () => {
      this.isClosed = true;
    });
    if (isReading) this.read();
  }

  read(): void {
    this.client.on("data", (chunk: Buffer) => this.received.push(...chunk.toString().trimEnd().split("\n")));
  }

  async send(text: string): Promise<void> {
    this.client.write(text);
    await settle();
  }

  async answer(name: string, line: Answer = `${name}\n`): Promise<void> {
    this.#waiting.get(name)?.(line);
    await settle();
  }

  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    this.deadlines.fireDue();
    await settle();
  }

  #dispatch(name: string, client: Client): Dispatched {
    this.taken.push(name);
    const hasPlace = !name.startsWith("#");
    if (name.startsWith("now:")) return { answer: `${name.slice(4)}\n`, hasPlace, holdsBack: null };
    if (name === "watch") {
      client.afterAnswer(() =>
        client.watching.begin(this.feed, { topics: null, kinds: null, requests: false }),
      );
      return { answer: "watching\n", hasPlace, holdsBack: null };
    }
    if (name === "poll") return { answer: this.#poll(client), hasPlace, holdsBack: null };
    if (name === "late poll") {
      const begun = new Promise<Answer>((resolve) => this.#waiting.set(name, resolve));
      return { answer: begun.then(() => this.#poll(client)), hasPlace, holdsBack: begun };
    }
    const answer = new Promise<Answer>((resolve) => this.#waiting.set(name, resolve));
    return { answer, hasPlace, holdsBack: name.startsWith("hold:") ? answer : null };
  }

  async #poll(holder: WaitHolder): Promise<Answer> {
    await this.parking.park([], 60_000, holder).next();
    return "polled\n";
  }
}

test("a line that never ends is closed for idleness, however many bytes trickle in", async () => {
  const bench = new Bench();
  for (let part = 0; part < 25 && !bench.isClosed; part += 1) {
    await bench.send("x");
    await bench.pass(IDLE_MS / 10);
  }
  expect(bench.isClosed).toBe(true);
  expect(bench.clock.nowMs()).toBeLessThanOrEqual(2 * IDLE_MS);
  expect(bench.taken).toEqual([]);
  expect(bench.reasons).toEqual([`idle for ${IDLE_MS} ms`]);
  expect(bench.levels, "it is for everybody to read").toEqual(["info"]);
});

test("a connection that is owed an answer, or that keeps asking, is not idle", async () => {
  const waiting = new Bench();
  await waiting.send("a\n");
  await waiting.pass(10 * IDLE_MS);
  expect(waiting.isClosed).toBe(false);
  await waiting.answer("a");
  const asking = new Bench();
  for (let round = 0; round < 30; round += 1) {
    await asking.send("now:pong\n");
    await asking.pass(IDLE_MS / 2);
  }
  expect(asking.isClosed).toBe(false);
});

test("a connection whose requests wait for their turn is not idle, however long the others take", async () => {
  const turnLine = new TurnLine();
  const share = turnLine.newShare(() => undefined);
  const isBehind = vi.spyOn(share, "isBehind", "get").mockReturnValue(true);
  vi.spyOn(share, "mayTakeMore").mockReturnValue(false);
  vi.spyOn(turnLine, "newShare").mockReturnValue(share);
  const bench = new Bench({ turnLine });
  await bench.send("now:pong\n");
  await bench.pass(10 * IDLE_MS);
  expect([bench.taken, bench.isClosed]).toEqual([[], false]);
  isBehind.mockReturnValue(false);
  await bench.pass(2 * IDLE_MS);
  expect(bench.isClosed).toBe(true);
});

test("who watches is not idle while nothing happens; who reads nothing of what happens is, and is let go", async () => {
  const bench = new Bench();
  await bench.send("watch\n");
  await bench.pass(10 * IDLE_MS);
  expect(bench.isClosed).toBe(false);
  bench.client.pause();
  // More than lies between the two ends of the link, which is for Node to say.
  for (let fired = 1; fired <= 20_000; fired += 1) {
    bench.feed.trace({ kind: "fault_fired", point: "x", action: "error", hit: fired, ruleId: 1 });
    if (fired % 1_000 === 0) await settle();
  }
  expect(bench.feed.size).toBe(1);
  for (let pass = 0; pass < 3; pass += 1) await bench.pass(IDLE_MS);
  expect(bench.isClosed).toBe(true);
  expect(bench.feed.size).toBe(0);
});

test("lines that are left over when the client ends its side are all taken and answered", async () => {
  const bench = new Bench();
  bench.client.end("a\nb\nc\nd\ne\nnever finished");
  await settle();
  expect(bench.taken).toEqual(["a", "b", "c"]);
  for (const name of ["c", "a", "b", "d", "e"]) await bench.answer(name);
  expect(bench.received).toEqual(["a", "b", "c", "d", "e"]);
  expect(bench.isClosed).toBe(true);
});

test.each([
  ["ends", (client: Duplex) => client.end()],
  ["breaks", (client: Duplex) => client.destroy()],
])("a long poll is given up as soon as its connection %s", async (_how, leave) => {
  const bench = new Bench();
  await bench.send("poll\n");
  expect(bench.parking.size).toBe(1);
  leave(bench.client);
  await settle();
  expect(bench.parking.size).toBe(0);
  expect(bench.isClosed).toBe(true);
  expect(bench.deadlines.size).toBe(0);
});

test("a line that is too long is answered after what is owed, and what follows it is never taken", async () => {
  const bench = new Bench();
  await bench.send("a\n");
  await bench.send("x".repeat(900));
  await bench.send("x".repeat(900));
  await bench.send("\nnow:late\n");
  expect(bench.received).toEqual([]);
  await bench.answer("a");
  expect(bench.received[0]).toBe("a");
  expect(JSON.parse(bench.received[1] ?? "")).toMatchObject({ ok: false, code: "FRAME_TOO_LARGE" });
  expect(bench.taken).toEqual(["a"]);
  // The client does not close: it had its time to read.
  await bench.pass(LINGER_MS);
  expect(bench.isClosed).toBe(true);
});

test("a client that reads slowly gets all of its last answers: lingering begins when they were sent", async () => {
  const bench = new Bench({ isReading: false });
  bench.client.end(`now:${"x".repeat(900)}\n`.repeat(80));
  await settle();
  await bench.pass(5 * LINGER_MS);
  expect(bench.isClosed).toBe(false);
  bench.read();
  await settle();
  expect(bench.received).toHaveLength(80);
  expect(bench.isClosed).toBe(true);
});

test("a client that leaves too much unread for too long is closed, and not before", async () => {
  const bench = new Bench({ isReading: false });
  await bench.send("#big\n");
  await bench.answer("#big", `${"x".repeat(300_000)}\n`);
  await bench.pass(STALL_MS - 1);
  expect(bench.isClosed).toBe(false);
  await bench.pass(1);
  expect(bench.isClosed).toBe(true);
  expect(bench.reasons).toEqual(["300001 bytes of answers were left unread"]);
  expect(bench.levels).toEqual(["info"]);
});

/** Takes what one portion of an answer is. */
async function readSome(client: Duplex): Promise<void> {
  client.read();
  await settle();
}

test("a client that reads slowly is neither idle nor cut off, however long it takes; one that stops is", async () => {
  const bench = new Bench({ isReading: false });
  await bench.send("#big\n");
  await bench.answer("#big", `${"x".repeat(5_000_000)}\n`);
  for (let round = 0; round < 30; round += 1) {
    await bench.pass(STALL_MS - 1);
    await readSome(bench.client);
  }
  expect(bench.clock.nowMs()).toBeGreaterThan(5 * IDLE_MS);
  expect(bench.isClosed).toBe(false);
  await bench.pass(STALL_MS - 1);
  expect(bench.isClosed).toBe(false);
  await bench.pass(1);
  expect(bench.isClosed).toBe(true);
  expect(bench.reasons).toEqual([expect.stringMatching(/^\d+ bytes of answers were left unread$/)]);
});

test("who is held still is cut off for what it leaves unread no sooner than for idleness, where the limits say so", async () => {
  const output = { ...LIMITS.output, stallMs: null };
  const bench = new Bench({ isReading: false, limits: { ...LIMITS, output } });
  await bench.send("#big\n");
  await bench.answer("#big", `${"x".repeat(300_000)}\n`);
  await bench.pass(IDLE_MS - 1);
  expect(bench.isClosed).toBe(false);
  for (let pass = 0; pass < 2; pass += 1) await bench.pass(IDLE_MS);
  expect(bench.isClosed).toBe(true);
  expect(bench.reasons).toEqual([`idle for ${IDLE_MS} ms`]);
});

test("where no connection is ever idle none is closed for it", async () => {
  const bench = new Bench({ limits: { ...LIMITS, idleMs: null } });
  await bench.send("half a li");
  await bench.pass(1_000 * IDLE_MS);
  expect(bench.isClosed).toBe(false);
  expect(bench.deadlines.size).toBe(0);
  await bench.send("ne\n");
  expect(bench.taken).toEqual(["half a line"]);
});

test("a client that reads in time is kept, however large the answer was", async () => {
  const bench = new Bench({ isReading: false });
  await bench.send("#big\n");
  await bench.answer("#big", `${"x".repeat(300_000)}\n`);
  await bench.pass(STALL_MS - 1);
  bench.read();
  await settle();
  await bench.pass(2 * STALL_MS);
  expect(bench.isClosed).toBe(false);
});

test("answers that wait for an earlier one count as output: no more requests are taken behind them", async () => {
  const bench = new Bench();
  await bench.send("first\nsecond\n");
  await bench.answer("second", `${"x".repeat(150_000)}\n`);
  await bench.send("third\n");
  expect(bench.taken).toEqual(["first", "second"]);
  await bench.answer("first");
  expect(bench.taken).toEqual(["first", "second", "third"]);
});

test("no request is taken while too many are in hand, and the next one as soon as one is answered", async () => {
  const bench = new Bench();
  await bench.send("#1\n#2\n#3\n#4\n#5\n");
  expect(bench.taken).toEqual(["#1", "#2", "#3"]);
  await bench.answer("#2");
  expect(bench.taken).toEqual(["#1", "#2", "#3", "#4"]);
  expect(bench.received).toEqual(["#2"]);
});

test("a request that is answered with nothing holds up nobody", async () => {
  const bench = new Bench();
  await bench.send("silent\nnow:next\n");
  await bench.answer("silent", null);
  expect(bench.received).toEqual(["next"]);
});

test("what follows a request that takes effect late is not begun before that one is answered", async () => {
  const bench = new Bench();
  await bench.send("a\nhold:b\nc\nnow:d\n");
  expect(bench.taken).toEqual(["a", "hold:b"]);
  await bench.answer("a");
  expect(bench.taken).toEqual(["a", "hold:b"]);
  await bench.answer("hold:b");
  expect(bench.taken).toEqual(["a", "hold:b", "c", "now:d"]);
  await bench.answer("c");
  expect(bench.received).toEqual(["a", "hold:b", "c", "d"]);
});

test("a client that has ended its side gets what it asked for behind a request that takes effect late", async () => {
  const bench = new Bench();
  bench.client.end("hold:a\nnow:b\n");
  await settle();
  expect(bench.taken).toEqual(["hold:a"]);
  await bench.answer("hold:a");
  expect(bench.received).toEqual(["hold:a", "b"]);
});

test("a long poll that begins late holds back what is behind it only until then", async () => {
  const bench = new Bench();
  await bench.send("#late\nlate poll\n#behind\n");
  expect(bench.taken).toEqual(["#late", "late poll"]);
  await bench.answer("late poll");
  expect(bench.taken).toEqual(["#late", "late poll", "#behind"]);
  expect(bench.parking.size).toBe(1);
});

test("a long poll that begins when its client has gone waits for nothing", async () => {
  for (const leave of ["destroy", "end"] as const) {
    const bench = new Bench();
    await bench.send("late poll\n");
    bench.client[leave]();
    await settle();
    await bench.answer("late poll");
    expect(bench.parking.size, leave).toBe(0);
  }
});

test("an answer in pieces comes whole and in its place", async () => {
  const bench = new Bench();
  await bench.send("first\nsecond\nthird\n");
  await bench.answer("second", [Buffer.from("in "), Buffer.from("two pieces\n")]);
  await bench.answer("third");
  await bench.answer("first");
  expect(bench.received).toEqual(["first", "in two pieces", "third"]);
});

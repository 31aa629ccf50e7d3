import { type Duplex, Readable } from "node:stream";
import { ManualClock } from "@minikafka/core/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { Deadlines } from "../deadlines.ts";
import { inProcessLink } from "../in-process-link.ts";
import { jsonSpeech } from "../json/speech.ts";
import { timers } from "../system-timers.ts";
import { Connection } from "./connection.ts";
import { OutputBudget } from "./output-budget.ts";
import type { Frames, Speech } from "./speech.ts";
import { TurnLine } from "./turn-line.ts";

const TURN_MS = 10;
const LIMITS = {
  requestsInHandMax: 64,
  idleMs: null,
  lingerMs: 50,
  output: { pauseBytes: 1e7, bytesMax: 2e7, stallMs: null, eventBytesMax: 1e7 },
};

/** Clients of one broker, for whom each request is carried out in as many milliseconds as it says; no other time passes. */
class House {
  /** For each client, how many of its requests were taken. */
  readonly taken: number[] = [];
  readonly connections: Connection[] = [];
  readonly frames: Frames[] = [];
  readonly line = new TurnLine();
  nowMs = 0;
  /** Whether answers come when other requests have been taken. */
  areAnswersLate = false;
  #turnBeganMs = 0;
  readonly #deadlines = Deadlines.ofSteppedTime(new ManualClock());

  constructor() {
    const clock = vi.spyOn(timers, "nowMs").mockImplementation(() => this.nowMs);
    onTestFinished(() => clock.mockRestore());
  }

  enter(): Duplex {
    const [here, there] = inProcessLink();
    const client = this.taken.push(0) - 1;
    const connection = new Connection(here, {
      speech: this.#speechOf(client),
      limits: LIMITS,
      realTime: this.#deadlines,
      budget: new OutputBudget({ bytesMax: 1e8, patienceMs: 10_000 }, this.#deadlines),
      turnLine: this.line,
      onClosing: () => undefined,
      onRefused: () => undefined,
    });
    this.connections.push(connection);
    there.on("error", () => undefined);
    there.resume();
    return there;
  }

  /** Clients that have come in; turns have passed since. */
  async enterMany(count: number): Promise<Duplex[]> {
    const clients = Array.from({ length: count }, () => this.enter());
    await this.turn();
    return clients;
  }

  /** Returns what it took, in milliseconds. */
  async turn(): Promise<number> {
    await new Promise((next) => setImmediate(next));
    const tookMs = this.nowMs - this.#turnBeganMs;
    this.#turnBeganMs = this.nowMs;
    return tookMs;
  }

  get takenOfAll(): number {
    return this.taken.reduce((sum, count) => sum + count, 0);
  }

  #speechOf(client: number): Speech {
    const dispatch = (line: Buffer) => {
      this.taken[client] = (this.taken[client] ?? 0) + 1;
      this.nowMs += Number(line.toString());
      const answer = this.areAnswersLate ? Promise.resolve("done\n") : "done\n";
      return { answer, hasPlace: true, holdsBack: null };
    };
    const speech = jsonSpeech({ dispatch }, 1_000_000);
    const newFrames = () => {
      const frames = speech.newFrames();
      this.frames.push(frames);
      return frames;
    };
    return { ...speech, newFrames };
  }
}

/** So many requests that take so long each. */
function requests(count: number, ms: number): string {
  return `${ms}\n`.repeat(count);
}

test("a turn lasts no longer where many ask much at once, and each of them comes on as the others do", async () => {
  const house = new House();
  const clients = await house.enterMany(30);
  for (const client of clients) client.write(requests(20, 1));
  // What came first was served before the line was.
  expect(await house.turn()).toBeLessThanOrEqual(TURN_MS + TURN_MS / 2);
  while (house.takenOfAll < 30 * 20) {
    expect(await house.turn()).toBeLessThanOrEqual(TURN_MS);
    expect(Math.max(...house.taken) - Math.min(...house.taken)).toBeLessThanOrEqual(2);
  }
});

test("who is alone has the whole turn, and the next one as well", async () => {
  const house = new House();
  const [client] = await house.enterMany(1);
  client?.write(requests(30, 1));
  const turns = [await house.turn(), await house.turn(), await house.turn()];
  expect(turns).toEqual([TURN_MS, TURN_MS, TURN_MS]);
});

test.each([
  ["at once", false],
  ["later", true],
])(
  "who asks little is served in the turn in which it asks, however many wait in the line, answered %s",
  async (_when, areAnswersLate) => {
    const house = new House();
    house.areAnswersLate = areAnswersLate;
    const [little, ...clients] = await house.enterMany(31);
    for (const client of clients) client.write(requests(20, 1));
    for (let asked = 1; asked <= 10; asked += 1) {
      await house.turn();
      little?.write(requests(1, 1));
      await house.turn();
      expect(house.taken[0]).toBe(asked);
    }
    expect(house.takenOfAll).toBeLessThan(30 * 20);
  },
);

test("many who ask little in each turn neither make it longer nor keep who is in the line from coming on", async () => {
  const house = new House();
  const [much, ...others] = await house.enterMany(31);
  much?.write(requests(100, 1));
  await house.turn();
  const beganMs = house.nowMs;
  for (let turn = 1; turn <= 10; turn += 1) {
    for (const other of others) other.write(requests(1, 1));
    await house.turn();
  }
  // The last writes may have been served already, of the next turn.
  expect(house.nowMs - beganMs).toBeLessThanOrEqual(10 * TURN_MS + TURN_MS / 2);
  expect(house.taken[0]).toBeGreaterThanOrEqual(Math.min(...house.taken.slice(1)));
  expect(house.taken[0]).toBeLessThan(100);
});

test("one of the line is served in each turn, where what came before it took more than the turn", async () => {
  const house = new House();
  const [much, other] = await house.enterMany(2);
  much?.write(requests(50, 3));
  await house.turn();
  const before = house.taken[0] ?? 0;
  other?.write(requests(1, 100));
  expect(await house.turn()).toBe(100 + 3);
  expect(house.taken).toEqual([before + 1, 1]);
});

test("in a turn in which a client was let in one of the line is served, so that the next client soon is", async () => {
  const house = new House();
  const [much] = await house.enterMany(1);
  much?.write(requests(100, 1));
  await house.turn();
  for (let client = 0; client < 10; client += 1) {
    house.enter();
    expect(await house.turn()).toBe(1);
  }
  expect(await house.turn()).toBe(TURN_MS);
});

test("nothing more is read of a client while what it asked before waits in the line", async () => {
  const house = new House();
  const [client] = await house.enterMany(1);
  if (client === undefined) throw new Error("nobody has come in");
  const chunk = `1${" ".repeat(499)}\n`.repeat(10);
  Readable.from(Array.from({ length: 100 }, () => chunk)).pipe(client);
  let pendingBytesMax = 0;
  while (house.takenOfAll < 1_000) {
    await house.turn();
    pendingBytesMax = Math.max(pendingBytesMax, house.frames[0]?.pendingBytes ?? 0);
  }
  expect(pendingBytesMax).toBeLessThan(10 * chunk.length);
});

test.each([
  ["has gone", (_connection: Connection, client: Duplex) => client.destroy()],
  ["is let go", (connection: Connection) => connection.endAfterAnswers(0)],
])("nothing is taken any more of a client that %s while it waits in the line", async (_how, leave) => {
  const house = new House();
  const [client, other] = await house.enterMany(2);
  client?.write(requests(100, 1));
  other?.write(requests(100, 1));
  await house.turn();
  const [connection] = house.connections;
  if (connection === undefined || client === undefined) throw new Error("nobody has come in");
  leave(connection, client);
  const before = house.taken[0] ?? 0;
  while ((house.taken[1] ?? 0) < 100) await house.turn();
  expect(house.taken[0]).toBeLessThanOrEqual(before + TURN_MS);
});

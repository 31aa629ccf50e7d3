/** What is printed goes to a disk that is full: every command says so, and none ends as if it had been read. */
import { PassThrough, Writable } from "node:stream";
import { run } from "@minikafka/cli";
import { startBroker, type TestBroker } from "@minikafka/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

let broker: TestBroker;

beforeAll(async () => {
  broker = await startBroker({ kafka: false, topics: { orders: 1 } });
  await broker.client.producer({ acks: "all" }).send({ topic: "orders", value: "a" });
});
afterAll(() => broker.close());

const full = () =>
  Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC", syscall: "write" });

/** A file refuses at once, a pipe or a terminal (EIO) later. */
const DISKS = {
  "at once": () =>
    new Writable({
      write() {
        throw full();
      },
    }),
  later: () =>
    new Writable({
      write(_chunk, _encoding, done) {
        setImmediate(() => done(full()));
      },
    }),
};

async function ran(argv: readonly string[], stdout: Writable) {
  let said = "";
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      said += String(chunk);
      done();
    },
  });
  const { host, port } = broker.address;
  const env = { MINIKAFKA_BROKER: `${host}:${port}`, XDG_CONFIG_HOME: "/nowhere" };
  const stdin = Object.assign(new PassThrough().end("b\n"), { isTTY: false });
  const { signal: interrupted } = new AbortController();
  return { code: await run(argv, { stdin, stdout, stderr, env, interrupted }), stderr: said };
}

const COMMANDS = [
  "topics list",
  "topics list -J",
  "topics describe orders",
  "describe",
  "ping",
  "groups list",
  "fetch orders -e",
  "fetch orders -e -J",
  "consume orders -g billing -e",
  "produce orders",
  "log dump orders -p 0",
  "fault list",
  "completion bash",
  "version",
  "-V",
  "--help",
  "help fetch",
].map((line) => [line.split(" ")]);

for (const [when, disk] of Object.entries(DISKS)) {
  test.each(COMMANDS)(
    `%j says of a disk that refuses ${when} that it does, once and without a stack`,
    async (argv) => {
      const { code, stderr } = await ran(argv, disk());
      expect(stderr).toMatch(/ENOSPC: no space left on device, write/);
      expect(stderr).not.toMatch(/\n\s+at /);
      expect(stderr.match(/ENOSPC/g)).toHaveLength(1);
      expect(code).toBe(1);
    },
  );

  test.each([[["check"]], [["check", "-J"]], [["check", "--nope"]]])(
    `%j to a disk that refuses ${when} is UNKNOWN to a monitor, which has nothing to read`,
    async (argv) => {
      const { code, stderr } = await ran(argv, disk());
      expect(stderr).toMatch(/ENOSPC: no space left on device, write/);
      expect(stderr).not.toMatch(/\n\s+at /);
      expect(code).toBe(3);
    },
  );
}

test("check says by its exit code what it has found, though nobody reads on", async () => {
  const gone = new PassThrough();
  gone.destroy();
  expect(await ran(["check"], gone)).toEqual({ code: 0, stderr: "" });
  await broker.client.admin().stopBroker(1);
  const again = new PassThrough();
  again.destroy();
  expect((await ran(["check"], again)).code).toBe(2);
  await broker.client.admin().startBroker(1);
});

test("what cannot be told on stderr ends no command", async () => {
  const refusing = DISKS["at once"]();
  const stdout = new PassThrough();
  const { signal: interrupted } = new AbortController();
  const env = { MINIKAFKA_BROKER: "127.0.0.1:1", XDG_CONFIG_HOME: "/nowhere" };
  const world = { stdin: new PassThrough(), stdout, stderr: refusing, env, interrupted };
  expect(await run(["topics", "list"], world)).toBe(7);
});

/** The programs of README, of the packages' READMEs and of docs/stepping.md, run as they stand; only ports are others. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type StartOptions, startBroker, type TestBroker } from "@minikafka/testing";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "./support/daemon.ts";

const run = promisify(execFile);
const fromRoot = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
/** From where the packages are found, as in a project that has installed them. */
const FOLDER = fromRoot("e2e");
const ENVIRONMENT = { ...process.env, KAFKAJS_NO_PARTITIONER_WARNING: "1" };

function programsOf(path: string, language = "js"): string[] {
  const text = readFileSync(fromRoot(path), "utf8");
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "gms"))].map(
    ([, code = ""]) => code,
  );
}

async function brokerWith(options: StartOptions = {}): Promise<TestBroker> {
  const broker = await startBroker({ ...options, settings: { port: 0, ...options.settings } });
  onTestFinished(() => broker.close());
  return broker;
}

/** The program with the broker's ports in place of the page's. */
function addressed(program: string, broker: TestBroker): string {
  const own = program
    .replaceAll("127.0.0.1:9092", broker.bootstrapServers)
    .replaceAll(/127\.0\.0\.1:919\d/g, `127.0.0.1:${broker.address?.port}`);
  expect(own).not.toBe(program);
  return own;
}

/** What a program prints that ends by itself. */
async function printedBy(program: string): Promise<string> {
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", program], {
    cwd: FOLDER,
    env: ENVIRONMENT,
  });
  return stdout;
}

const [KAFKAJS = "", EMBEDDED = "", SDK = "", ...OTHERS] = programsOf("README.md");

test("README has no program that is not run here", () => expect(OTHERS).toEqual([]));

test("kafkajs writes a record to a topic that is made by the way, and is told where it lies", async () => {
  const broker = await brokerWith();
  expect(await printedBy(addressed(KAFKAJS, broker))).toMatch(
    /topicName: 'greetings',\s+partition: 0,.*baseOffset: '0'/s,
  );
  expect(broker.records("greetings")).toMatchObject([{ key: "alice", value: "hello" }]);
});

test("a test's own broker shows the record, and leaves nothing that keeps the program alive", async () => {
  expect((await printedBy(EMBEDDED)).match(/value: 'created'/g)).toHaveLength(2);
});

test("the SDK's program of README reads back what it wrote, and ends", async () => {
  const broker = await brokerWith({ topics: { orders: 2 } });
  expect(await printedBy(addressed(SDK, broker))).toBe("0 paid shop\n");
});

test("the programs of the broker's README write by kafkajs, and start a broker of their own", async () => {
  const [client = "", own = "", ...others] = programsOf("apps/broker/README.md");
  expect(others).toEqual([]);
  const broker = await brokerWith();
  await printedBy(addressed(client, broker));
  expect(broker.records("orders")).toMatchObject([{ key: "alice", value: "created" }]);
  expect(await printedBy(own.replace('"./data"', JSON.stringify(temporaryFolder())))).toMatch(
    /^\{ host: '127\.0\.0\.1', port: \d+ \}\n$/,
  );
});

test("the programs about stepping see what is pending, take it, and send a batch when the clock is moved", async () => {
  const [steps = "", lingering = "", ...others] = programsOf("docs/stepping.md");
  expect(others).toEqual([]);
  const broker = await brokerWith({
    brokers: 3,
    clock: "manual",
    topics: { orders: { partitions: 1, replicationFactor: 3 } },
  });
  await broker.client.producer().send({ topic: "orders", value: "created" });
  const program = `import { connect } from "@minikafka/client";
    const watching = await connect("127.0.0.1:9196");
    {
      const client = watching;
      ${steps}
      console.log(taken.length > 0, quiet, unquiet);
      {
        ${lingering}
        await client.close();
      }
    }
    await watching.close();`;
  expect(await printedBy(addressed(program, broker))).toMatch(
    /^replicate_once .* broker 2 would copy 1 batch .*\ntrue true \[\]\n$/s,
  );
  // It has been written, and waits for the followers' next fetch.
  expect(broker.partition("orders", 0).logEndOffset).toBe(2);
});

/** The SDK's programs as the compiler, under strict, makes JavaScript of them; the second is a part of one, and stands as it is. */
async function compiled(): Promise<string[]> {
  const folder = temporaryFolder();
  const programs = programsOf("packages/client/README.md", "ts");
  const whole = programs.filter((code) => code.includes("import "));
  whole.forEach((code, number) => void writeFileSync(join(folder, `program-${number}.mts`), code));
  const compilerOptions = {
    noEmit: false,
    outDir: "out",
    typeRoots: [fromRoot("node_modules/@types")],
    paths: { "@minikafka/client": [fromRoot("packages/client/dist/index.d.ts")] },
  };
  const config = { extends: fromRoot("tsconfig.base.json"), compilerOptions, include: ["*.mts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const compiler = run(process.execPath, [fromRoot("node_modules/typescript/bin/tsc"), "-p", folder]);
  const problems = await compiler.then(
    ({ stdout }) => stdout,
    (failed: { stdout: string }) => failed.stdout,
  );
  expect(problems).toBe("");
  return programs.map((code) =>
    whole.includes(code)
      ? readFileSync(join(folder, "out", `program-${whole.indexOf(code)}.mjs`), "utf8")
      : code,
  );
}

/** Runs a program that goes on by itself until `seen` resolves. */
async function whileRunning(program: string, seen: (stdout: Readable) => Promise<unknown>): Promise<void> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    cwd: FOLDER,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close").then(() => Promise.reject(new Error("the program has ended")));
  try {
    await Promise.race([seen(child.stdout), ended]);
  } finally {
    child.kill("SIGKILL");
    await ended.catch(() => undefined);
  }
}

test("the programs in the SDK's README compile as they stand, under strict, and do what they say", async () => {
  const [first = "", group = "", typed = "", transactions = "", ...others] = await compiled();
  expect(others).toEqual([]);
  const broker = await brokerWith({ topics: { payments: 1 } });
  expect(await printedBy(addressed(first, broker))).toBe("0 alice created\n");

  const around = `import { connect } from "@minikafka/client";
    const client = await connect({ broker: "127.0.0.1:9192" });
    const work = async ({ value }) => console.log(String(value));
    const isEnough = () => true;
    ${group}
    await client.close();`;
  expect(await printedBy(addressed(around, broker))).toBe("created\n");
  expect(broker.group("billing")?.partitions).toContainEqual(
    expect.objectContaining({ partition: 1, lag: 0 }),
  );

  await broker.waitForGroup("billing", { state: "empty" });
  await whileRunning(addressed(typed, broker), async (stdout) =>
    expect(await once(createInterface({ input: stdout }), "line")).toEqual(["7"]),
  );

  const other = await brokerWith({ topics: { orders: 1, payments: 1 } });
  await other.client.producer().sendMany(["paid", "shipped"].map((value) => ({ topic: "orders", value })));
  await other.client.admin().commitOffsets("billing", [{ topic: "orders", partition: 0, offset: 0 }]);
  await whileRunning(addressed(transactions, other), () =>
    other.waitForRecords("payments", 2, { isolation: "read_committed", timeoutMs: 30_000 }),
  );
});

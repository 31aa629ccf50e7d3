/** The HTTP port: who is answered, and what is refused. */
import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { AddressUnavailable } from "../src/connections/port.ts";
import type { Broker } from "../src/daemon.ts";
import { refusalOf } from "../src/http/unreadable.ts";
import { openBroker, Session } from "./support/broker.ts";
import { get, getJson, portOf } from "./support/http.ts";

const HTTP = { http_port: 0 };
const PATHS = ["/metrics", "/healthz", "/readyz", "/snapshot", "/events"];

test("there is no HTTP port unless one is asked for", async () => {
  const broker = await openBroker();
  expect(broker.httpAddress).toBeNull();
});

test("a broker that lives and serves says so", async () => {
  const broker = await openBroker(HTTP);
  expect(await getJson(broker, "/healthz")).toMatchObject({ status: 200, body: { alive: true } });
  expect(await getJson(broker, "/readyz")).toMatchObject({ status: 200, body: { ready: true, reasons: [] } });
});

test("a broker that stops is not ready, says why, and in the end nobody is connected", async () => {
  const broker = await openBroker(HTTP);
  // Holds the broker up a little: it is given the time to read its answers.
  broker.connectInProcess();
  const [socket, idle] = [connect(portOf(broker), "127.0.0.1"), connect(portOf(broker), "127.0.0.1")];
  await Promise.all([once(socket, "connect"), once(idle, "connect")]);
  idle.on("error", () => undefined);
  socket.setEncoding("utf8");
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.write("GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  const closing = broker.close();
  await once(socket, "close");
  expect(text).toMatch(/^HTTP\/1\.1 503 /);
  expect(text).toContain('"ready":false');
  expect(text).toContain('"code":"STOPPING"');
  await closing;
  await expect(get(broker, "/healthz")).rejects.toThrow("ECONNREFUSED");
});

test("a broker that has crashed answers nobody any more", async () => {
  const broker = await openBroker({ ...HTTP, lab: true }, undefined, undefined, {
    onBroken: () => undefined,
  });
  Session.open(broker).request({ operation: "crash" });
  const asked = () =>
    get(broker, "/healthz").then(
      () => "answered",
      (error: NodeJS.ErrnoException) => error.code,
    );
  await expect.poll(asked, { timeout: 10_000 }).toMatch(/ECONNREFUSED|ECONNRESET/);
});

test("what is not there is 404 with what is, and what would change something is 405 with what may be asked", async () => {
  const broker = await openBroker(HTTP);
  for (const path of ["/", "/metrics/", "/Metrics", "/..", "/snapshot%20", "//metrics", "/favicon.ico"]) {
    const { status, body } = await getJson(broker, path);
    expect([status, body.error.code], path).toEqual([404, "UNKNOWN_PATH"]);
    expect(body.error.message).toContain("/metrics, /healthz, /readyz, /snapshot, /events");
  }
  for (const path of PATHS) {
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"]) {
      const { status, headers, body } = await getJson(broker, path, { method });
      expect([status, headers.allow, body.error.code], `${method} ${path}`).toEqual([
        405,
        "GET, HEAD",
        "METHOD_NOT_ALLOWED",
      ]);
    }
  }
});

test("CONNECT is answered like whatever may not be asked, and its connection ends", async () => {
  const broker = await openBroker(HTTP);
  for (const target of ["example.org:443", "127.0.0.1:9092", "/healthz"]) {
    const socket = connect(portOf(broker), "127.0.0.1");
    socket.setEncoding("utf8");
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
    await once(socket, "close");
    const [head = "", body = ""] = text.split("\r\n\r\n");
    expect(head).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/);
    expect(head).toMatch(/^connection: close$/im);
    expect(head).toMatch(/^allow: GET, HEAD$/im);
    expect(JSON.parse(body).error).toEqual({
      code: "METHOD_NOT_ALLOWED",
      message: "CONNECT is for nothing here; expected GET, HEAD: this is no proxy",
    });
  }
  expect(await getJson(broker, "/healthz")).toMatchObject({ status: 200 });
});

test("HEAD has the head of GET and no body", async () => {
  const broker = await openBroker(HTTP);
  for (const path of ["/metrics", "/healthz", "/readyz", "/snapshot"]) {
    const { status, headers, text } = await get(broker, path, { method: "HEAD" });
    const whole = await get(broker, path);
    expect([status, headers["content-type"], text], path).toEqual([200, whole.headers["content-type"], ""]);
    expect(Number(headers["content-length"])).toBeGreaterThan(0);
  }
  const { status, headers, text } = await get(broker, "/events", { method: "HEAD" });
  expect([status, headers["content-type"], text]).toEqual([200, "text/event-stream; charset=utf-8", ""]);
});

test("a query that is not known, or not as it must be, is refused by a code and in words", async () => {
  const broker = await openBroker(HTTP);
  const refusals = {
    "/metrics?name=a": '"name" is not known here; expected no query',
    "/healthz?": null,
    "/healthz?verbose": '"verbose" is not known here; expected no query',
    "/snapshot?topic=a": '"topic" is not known here; expected topics',
    "/snapshot?topics=": "topics: expected values with commas between, one is empty",
    "/snapshot?topics=a,": "topics: expected values",
    "/events?topics=": "topics: expected values",
    "/events?kind=appended": '"kind" is not known here; expected kinds, topics, requests',
    "/events?kinds=appended,nothing": 'kinds.1: expected "appended", ',
    "/events?kinds=": "kinds: expected values",
    "/events?requests=perhaps": 'requests: expected true or false, it is "perhaps"',
    "/events?requests=": 'requests: expected true or false, it is ""',
    "/events?requests=true&requests=false": "requests: expected once",
    "/events?%ff=1": "is not known here",
  };
  for (const [path, message] of Object.entries(refusals)) {
    const { status, body } = await getJson(broker, path);
    if (message === null) expect(status, path).toBe(200);
    else expect([status, body.error.code], path).toEqual([400, "INVALID_REQUEST"]);
    if (message !== null) expect(body.error.message).toContain(message);
  }
});

test("a URL or a head that is too long is refused", async () => {
  const broker = await openBroker(HTTP);
  const { status, body } = await getJson(broker, `/snapshot?topics=${"a".repeat(5_000)}`);
  expect([status, body.error.code]).toEqual([414, "URL_TOO_LONG"]);
  const long = await get(broker, "/healthz", { headers: { "x-long": "a".repeat(9_000) } });
  expect([long.status, JSON.parse(long.text).error.code]).toEqual([431, "HEAD_TOO_LONG"]);
  expect((await get(broker, "/healthz")).status).toBe(200);
});

/** The refusal that this answer is. */
function refusalIn(text: string): object {
  const [head = "", body = ""] = text.split("\r\n\r\n");
  expect(head).toMatch(/^content-type: application\/json/m);
  return { status: Number(/^HTTP\/1\.1 (\d+) /.exec(head)?.[1]), ...JSON.parse(body).error };
}

/** What is answered to these bytes, of a client that then says no more. */
async function answerTo(broker: Pick<Broker, "httpAddress">, bytes: string): Promise<string> {
  const socket = connect(portOf(broker), "127.0.0.1");
  socket.setEncoding("utf8");
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.end(bytes);
  await once(socket, "close");
  return text;
}

test("what is no HTTP is refused, and the port goes on", async () => {
  const broker = await openBroker(HTTP);
  for (const bytes of ["hello\n", "\0\0\0\x10"])
    expect(refusalIn(await answerTo(broker, bytes)), JSON.stringify(bytes)).toMatchObject({
      status: 400,
      code: "INVALID_REQUEST",
      message: expect.stringContaining("no request of HTTP/1.1"),
    });
  expect((await get(broker, "/healthz")).status).toBe(200);
});

test("who sends lines of JSON to the HTTP port is told where they are taken, and the port goes on", async () => {
  const broker = await openBroker(HTTP);
  const lines = (await answerTo(broker, '{"operation":"ping"}\n{"operation":"ping"}\n')).split("\n");
  expect(lines).toHaveLength(2);
  expect(JSON.parse(lines[0] ?? "")).toEqual({
    ok: false,
    code: "INVALID_REQUEST",
    // This broker has no port for them.
    message: "this port is for HTTP; lines of JSON are taken nowhere here",
    retriable: false,
    details: { json_address: null },
  });
  expect((await get(broker, "/healthz")).status).toBe(200);
});

test("what does not come in time is told so, and what is too long how much there may be", () => {
  const answerOf = (code: string) => refusalOf(Object.assign(new Error("no words"), { code })).answer;
  expect(answerOf("ERR_HTTP_REQUEST_TIMEOUT")).toMatchObject({
    status: 408,
    body: expect.stringContaining('"REQUEST_TIMEOUT","message":"the request was not there within 10 s"'),
  });
  expect(answerOf("HPE_HEADER_OVERFLOW")).toMatchObject({
    status: 431,
    body: expect.stringContaining('"HEAD_TOO_LONG","message":"the head of the request is longer than 8 KiB"'),
  });
});

test("nothing is written into an answer that is under way, whatever comes behind its request", async () => {
  const broker = await openBroker(HTTP);
  for (const behind of ["hello\n", "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n"]) {
    const text = await answerTo(broker, `${asking("/healthz", "localhost")}${behind}`);
    expect(text, behind).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\n\r\n\{"alive":true\}\n$/);
  }
  expect((await get(broker, "/healthz")).status).toBe(200);
});

test("a request without a host is refused in words, but for HTTP/1.0, which need not name one", async () => {
  const broker = await openBroker(HTTP);
  for (const target of ["/healthz", "http://localhost/healthz"])
    expect(refusalIn(await answerTo(broker, asking(target))), target).toEqual({
      status: 400,
      code: "INVALID_REQUEST",
      message: "Host: expected once, it is missing",
    });
  expect(await answerTo(broker, "GET /healthz HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1\.1 200 /);
});

test("what a request expects and is not done is refused, and 100-continue is no reason to", async () => {
  const broker = await openBroker(HTTP);
  const expecting = (what: string) => get(broker, "/healthz", { headers: { expect: what } });
  const { status, text } = await expecting("coffee");
  expect([status, JSON.parse(text).error.code]).toEqual([417, "EXPECTATION_FAILED"]);
  expect((await expecting("100-continue")).status).toBe(200);
});

/** A request with this target, and a Host for each of these. */
function asking(target: string, ...hosts: readonly string[]): string {
  return `GET ${target} HTTP/1.1\r\n${hosts.map((host) => `Host: ${host}\r\n`).join("")}\r\n`;
}

test("a request with two hosts is refused, whichever of them is the broker's", async () => {
  const broker = await openBroker(HTTP);
  for (const hosts of [
    ["127.0.0.1", "evil.example"],
    ["evil.example", "127.0.0.1"],
    ["localhost", "localhost"],
  ]) {
    const text = await answerTo(broker, asking("/readyz", ...hosts));
    expect(text, String(hosts)).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain("Host: expected once, it is there 2 times");
  }
});

test("a target that is a whole URL is answered as its path is, where its host is the broker's too", async () => {
  const broker = await openBroker(HTTP);
  const status = async (target: string, host: string) =>
    Number(/^HTTP\/1\.1 (\d+) /.exec(await answerTo(broker, asking(target, host)))?.[1]);
  const expected = {
    "http://127.0.0.1/readyz": 200,
    "HTTP://LOCALHOST:9193/snapshot?topics=a": 200,
    "http://localhost?topics=a": 404,
    "http://localhost": 404,
    "http://evil.example/readyz": 403,
    "http://localhost@evil.example/readyz": 403,
    "http:///readyz": 403,
  };
  for (const [target, code] of Object.entries(expected))
    expect([target, await status(target, "127.0.0.1")]).toEqual([target, code]);
  expect(await status("http://127.0.0.1/readyz", "evil.example")).toBe(403);
});

test("a name that is not the broker's own is not answered, so that no page can read by one that it makes lead here", async () => {
  const broker = await openBroker({ ...HTTP, advertise: "Kafka.example" });
  const status = async (host: string) => (await get(broker, "/snapshot", { headers: { host } })).status;
  const allowed = [
    "127.0.0.1:1",
    "localhost",
    "LOCALHOST:9193",
    "[::1]:9193",
    "192.168.7.8",
    "kafka.example:80",
  ];
  for (const host of [...allowed, "kafka.example."]) expect([host, await status(host)]).toEqual([host, 200]);
  const strange = [
    "evil.example",
    "localhost.evil.example",
    "127.0.0.1.evil.example:9193",
    "kafka.example.org",
  ];
  for (const host of [...strange, "[localhost]x", "a:b"])
    expect([host, await status(host)]).toEqual([host, 403]);
  const { body } = await getJson(broker, "/snapshot", { headers: { host: "evil.example" } });
  expect(body.error).toMatchObject({
    code: "HOST_NOT_ALLOWED",
    message: expect.stringContaining("--advertise"),
  });
});

test("a page of another origin is not answered, one of this port is, and nobody is told that others may read", async () => {
  const broker = await openBroker(HTTP);
  const own = `127.0.0.1:${portOf(broker)}`;
  const answer = (headers: { [name: string]: string }) => getJson(broker, "/snapshot", { headers });
  for (const headers of [
    { origin: "http://evil.example" },
    { origin: "null" },
    { origin: `https://${own}` },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
  ]) {
    const { status, body } = await answer(headers);
    expect([status, body.error.code], JSON.stringify(headers)).toEqual([403, "ORIGIN_NOT_ALLOWED"]);
  }
  for (const headers of [
    { origin: `http://${own}`, "sec-fetch-site": "same-origin" },
    { "sec-fetch-site": "none" },
  ]) {
    const { status, headers: answered } = await answer(headers);
    expect(status).toBe(200);
    expect(Object.keys(answered).filter((name) => name.startsWith("access-control"))).toEqual([]);
    expect(answered).toMatchObject({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
  }
});

test("a port that is taken is named with its setting", async () => {
  const broker = await openBroker(HTTP);
  const second = openBroker({ http_port: portOf(broker) });
  await expect(second).rejects.toThrow(AddressUnavailable);
  await expect(second).rejects.toMatchObject({ code: "EADDRINUSE", setting: "http_port" });
  await expect(second).rejects.toThrow("for HTTP");
});

/**
 * What the pages ask of curl, carried out by node, since curl need not be there: `curl [-s] [-N] [-f] URL`. The body goes to stdout as it
 * comes, whatever `-N` says; `-s` says nothing that would not be left out anyway. Exit codes are curl's: 7 for nobody there, 22 for an
 * error's status with `-f`, 2 for an option that is not known here, so that a page which wants more of curl fails its test.
 */
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import type { World } from "@minikafka/cli";

const EXIT = { ok: 0, usage: 2, noConnection: 7, httpError: 22, interrupted: 130 };

export async function curl(words: readonly string[], world: World): Promise<number> {
  const [, flags = "", url] = /^((?:-[sNf]+ )*)(http:\/\/\S+)$/.exec(words.join(" ")) ?? [];
  if (url === undefined) {
    world.stderr.write(`curl: this one takes [-s] [-N] [-f] URL, not ${words.join(" ")}\n`);
    return EXIT.usage;
  }
  try {
    const { interrupted: signal } = world;
    const [answer] = (await once(get(url, { agent: false, signal }), "response")) as [IncomingMessage];
    const isRefused = flags.includes("f") && (answer.statusCode ?? 0) >= 400;
    for await (const chunk of answer) if (!isRefused) world.stdout.write(chunk);
    return isRefused ? EXIT.httpError : EXIT.ok;
  } catch (error) {
    if (world.interrupted.aborted) return EXIT.interrupted;
    world.stderr.write(`curl: (7) ${String(error)}\n`);
    return EXIT.noConnection;
  }
}

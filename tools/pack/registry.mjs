/** A registry on this machine that has the given tarballs and nothing else: what npm asks for by name. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { basename } from "node:path";
import { readTarball } from "./tarball.mjs";

/**
 * @param {readonly string[]} files
 * @returns {Promise<{ url: string, close: () => void }>}
 */
export async function startRegistry(files) {
  /** @type {Map<string, string | Uint8Array>} */
  const answers = new Map();
  const server = createServer((request, response) => {
    const answer = answers.get(decodeURIComponent(request.url ?? ""));
    response.writeHead(answer === undefined ? 404 : 200).end(answer);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const url = `http://127.0.0.1:${port}/`;
  for (const file of files) {
    const { manifest } = await readTarball(file);
    const { name, version } = manifest;
    const dist = { tarball: `${url}${basename(file)}` };
    const known = { name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } } };
    answers.set(`/${name}`, JSON.stringify(known));
    answers.set(`/${basename(file)}`, readFileSync(file));
  }
  return {
    url,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

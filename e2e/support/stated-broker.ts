/** A broker in this process that is started by the line with which a page starts it. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type Broker, startBroker } from "@minikafka/broker";
import { onTestFinished } from "vitest";

export interface StatedBroker {
  readonly port: number;
  readonly broker: Broker;
}

/** `line` as it stands on the page; its data lie in `folder`, and its ports are free ones. It is closed when the test ends. */
export async function startStated(line: string, folder: string): Promise<StatedBroker> {
  const settings = settingsOf(line);
  const data = join(folder, String(settings.data));
  const stated = ["kafka_port", "http_port"].filter((name) => settings[name] !== undefined);
  const ports = Object.fromEntries(["port", ...stated].map((name) => [name, 0]));
  const broker = await startBroker({ settings: { ...settings, ...ports, data, log_level: "silent" } });
  onTestFinished(async () => {
    await broker.close();
    await rm(data, { recursive: true, force: true });
  });
  if (broker.address === null) throw new Error("it listens nowhere");
  return { port: broker.address.port, broker };
}

/** The flags, by their names in a configuration file. */
function settingsOf(line: string): { readonly [name: string]: string | number | boolean } {
  const [, flags = ""] = /broker((?: .*)?)$/.exec(line) ?? [];
  const found = flags.matchAll(/--([a-z-]+)(?: (?!--)("[^"]*"|\S+))?/g);
  return Object.fromEntries(
    [...found].map(([, name = "", value]) => [
      name.replaceAll("-", "_"),
      value === undefined
        ? true
        : value.startsWith('"$(date')
          ? Date.now()
          : /^\d+$/.test(value)
            ? Number(value)
            : value,
    ]),
  );
}

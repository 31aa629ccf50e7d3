import { MemoryDisk } from "@minikafka/core/testing";
import { expect, test } from "vitest";
import type { BrokerOptions } from "./broker-options.ts";
import { startBroker } from "./daemon.ts";

test.each([
  [{ data: "/data", port: 0 }, "data is a setting: startBroker({ settings: { data: … } })"],
  [{ settings: { data: "/data" }, port: 0 }, "port is a setting: startBroker({ settings: { port: … } })"],
  [
    { setings: { data: "/data" } },
    "startBroker has no option setings; did you mean settings? expected settings, disk,",
  ],
  [{ settings: { port: 0 } }, "settings.data is missing: startBroker({ settings: { data: FOLDER } })"],
  [{}, "settings.data is missing"],
  [undefined, "settings.data is missing"],
  [{ settings: { data: "/data", logLevel: "warn" } }, "there is no setting logLevel (in the options)"],
  [{ settings: { data: "/data", port: -1 } }, "port is -1 (from settings.port)"],
])("a program that asks for %j is told what to write", async (options, message) => {
  const refused = startBroker(options as unknown as BrokerOptions);
  await expect(refused).rejects.toThrow(expect.objectContaining({ name: "ConfigProblem" }));
  await expect(refused).rejects.toThrow(message);
});

test.each([
  [{}, "warn"],
  [{ log_level: "info" }, "info"],
])(
  "within a program a broker tells what went wrong alone, unless it is asked for more: %j",
  async (more, level) => {
    const settings = { data: "/data", clock: "manual", ...more };
    const broker = await startBroker({ settings, disk: new MemoryDisk(), listen: false });
    expect(broker.settings.log_level).toBe(level);
    await broker.close();
  },
);

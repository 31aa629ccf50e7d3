import { join } from "node:path";
import { expect, test } from "vitest";
import { contextsFile } from "./context-place.ts";

test("contexts lie with the user's other settings, where his system has these", () => {
  const tail = join("minikafka", "contexts.json");
  const home = { HOME: "/home/me" };
  expect(contextsFile(home, "linux")).toBe(join("/home/me", ".config", tail));
  expect(contextsFile({ ...home, XDG_CONFIG_HOME: "/etc/me" }, "linux")).toBe(join("/etc/me", tail));
  expect(contextsFile({ ...home, XDG_CONFIG_HOME: "me" }, "linux")).toBe(join("/home/me", ".config", tail));
  expect(contextsFile({ ...home, APPDATA: "/roaming" }, "win32")).toBe(join("/roaming", tail));
});

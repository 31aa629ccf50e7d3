/** Where the file of contexts lies: with what else a user has configured, by his system's custom. */
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

export type Environment = { readonly [name: string]: string | undefined };

/** By the XDG base directory specification, which takes a path that is not absolute for none; on Windows in %APPDATA%. */
export function contextsFile(env: Environment, platform: NodeJS.Platform = process.platform): string {
  return join(configFolder(env, platform), "minikafka", "contexts.json");
}

function configFolder(env: Environment, platform: NodeJS.Platform): string {
  const { APPDATA = "", XDG_CONFIG_HOME = "" } = env;
  if (isAbsolute(XDG_CONFIG_HOME)) return XDG_CONFIG_HOME;
  const home = env.HOME || env.USERPROFILE || homedir();
  if (platform === "win32") return APPDATA === "" ? join(home, "AppData", "Roaming") : APPDATA;
  return join(home, ".config");
}

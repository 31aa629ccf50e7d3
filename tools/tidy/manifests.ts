/** The package.json files of the workspace. */
import type { Workspace } from "./workspace.ts";

export interface Manifest {
  /** The package's folder, "" for the root. */
  readonly folder: string;
  readonly name: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, { readonly default: string }>>;
}

export function manifestsOf(workspace: Workspace): Manifest[] {
  const paths = [...workspace.files.keys()].filter((path) => /(?:^|\/)package\.json$/.test(path));
  return paths.map((path) => {
    const parsed: Partial<Manifest> = JSON.parse(workspace.files.get(path) ?? "");
    return {
      name: "",
      scripts: {},
      bin: {},
      dependencies: {},
      exports: {},
      ...parsed,
      folder: path.replace(/\/?package\.json$/, ""),
    };
  });
}

/** The source behind a built file: in packages/core, "./dist/log/index.js" is "packages/core/src/log/index.ts". */
export function sourceOfBuilt(folder: string, built: string): string {
  return `${folder}/${built.replace(/^\.\/dist\//, "src/").replace(/\.js$/, ".ts")}`;
}

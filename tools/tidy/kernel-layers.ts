/** Inside the kernel: layers that only look down. */
import { importsOf } from "./imports.ts";
import type { Rule } from "./workspace.ts";

/** From the ground up; a folder may import itself and what stands before it. */
export const LAYERS = ["env", "log", "replica", "offsets", "group", "transaction", "cluster"];
const KERNEL = "packages/core/src/";
/** The doors see everything; what else lies beside the folders is ground for all of them and sees none. */
const DOORS = ["index.ts", "testing.ts"];

const GROUND = -1;
const ROOF = LAYERS.length;

/** A layer's height; null for a folder that is not in the list. */
function heightOf(path: string): number | null {
  const inside = path.slice(KERNEL.length);
  const slash = inside.indexOf("/");
  if (slash === -1) return DOORS.includes(inside) || inside.endsWith(".test.ts") ? ROOF : GROUND;
  const height = LAYERS.indexOf(inside.slice(0, slash));
  return height === -1 ? null : height;
}

export const kernelLooksDown: Rule = (workspace) =>
  importsOf(workspace).flatMap(({ from, line, specifier, target }) => {
    if (!from.startsWith(KERNEL) || target === null || !target.startsWith(KERNEL)) return [];
    const [own, other] = [heightOf(from), heightOf(target)];
    if (own === null || other === null) {
      return [
        `${from}:${line}: ${specifier}: a folder of the kernel has no place among its layers (${LAYERS.join(" < ")})`,
      ];
    }
    if (other <= own) return [];
    return [
      `${from}:${line}: ${specifier} looks up; the layers are ${LAYERS.join(" < ")}. Move it down, or hand it in`,
    ];
  });

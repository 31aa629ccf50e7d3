/** Pages have one title, and their links lead somewhere. */
import { posix } from "node:path";
import type { Rule, Workspace } from "./workspace.ts";

interface Line {
  readonly number: number;
  readonly text: string;
}

/** The lines of a page that are prose: outside of fenced code. */
export function proseLines(text: string): Line[] {
  let fence: string | null = null;
  return text.split("\n").flatMap((line, index) => {
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1] ?? null;
    if (fence === null && mark === null) return [{ number: index + 1, text: line }];
    if (fence === null) fence = mark;
    else if (mark?.startsWith(fence)) fence = null;
    return [];
  });
}

function pages({ files }: Workspace): [string, string][] {
  return [...files].filter(([path]) => path.endsWith(".md"));
}

export const pagesHaveOneTitle: Rule = (workspace) =>
  pages(workspace).flatMap(([path, text]) => {
    const titles = proseLines(text).filter((line) => /^# /.test(line.text));
    if (titles.length === 1 && titles[0]?.number === 1) return [];
    return [`${path}: ${titles.length} titles ("# …"); a page has one, in its first line`];
  });

/** The anchor that a page's reader gives to a heading. */
function anchorOf(heading: string): string {
  const bare = heading
    .replace(/^#+\s*/, "")
    .trim()
    .toLowerCase();
  return bare.replace(/[^\p{L}\p{N}\s_-]/gu, "").replace(/\s/g, "-");
}

/** Those of its headings, and those that it sets by hand. */
function anchorsOf(text: string): Set<string> {
  const anchors = proseLines(text).flatMap((line) => [
    ...(/^#+ /.test(line.text) ? [anchorOf(line.text)] : []),
    ...Array.from(line.text.matchAll(/<a id="([^"]+)"><\/a>/g), (match) => String(match[1])),
  ]);
  return new Set(anchors);
}

/** Targets of `[text](target)` and `[label]: target`, without those inside `code`. */
function linksIn(text: string): { target: string; number: number }[] {
  return proseLines(text).flatMap(({ number, text: line }) => {
    const bare = line.replace(/`[^`]*`/g, "``");
    const inline = [...bare.matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g)];
    const labels = [...bare.matchAll(/^\s*\[[^\]]+\]:\s+(\S+)/g)];
    return [...inline, ...labels].map((match) => ({ target: String(match[1]), number }));
  });
}

function isThere(path: string, { files }: Workspace): boolean {
  const folder = path.endsWith("/") || path === "." ? path : `${path}/`;
  return files.has(path) || path === "." || [...files.keys()].some((file) => file.startsWith(folder));
}

export const linksLeadSomewhere: Rule = (workspace) =>
  pages(workspace).flatMap(([path, text]) =>
    linksIn(text).flatMap(({ target, number }) => {
      if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return [];
      const [file = "", anchor] = target.split("#");
      const full = file === "" ? path : posix.join(posix.dirname(path), decodeURI(file));
      // LICENSE and the like are not read as texts, but they stand at the root.
      if (!isThere(full, workspace) && !/^[A-Z]+$/.test(full))
        return [`${path}:${number}: ${target} leads nowhere`];
      const page = workspace.files.get(full);
      if (anchor === undefined || page === undefined || !full.endsWith(".md")) return [];
      return anchorsOf(page).has(anchor) ? [] : [`${path}:${number}: ${target}: no heading has this anchor`];
    }),
  );

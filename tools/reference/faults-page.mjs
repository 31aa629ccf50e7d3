/** The page of the kernel's fault points, printed from the table that the kernel passes them by. */
import { actionsAt, FAULT_POINT_MEANINGS, FAULT_POINTS } from "@minikafka/core";

const INTRODUCTION = `# The kernel's fault points

<!-- Printed by \`npm run reference\` from packages/core/src/env/fault-point-table.ts; change that. -->

Each is a place that the kernel passes, with what is the case there. [Breaking things on purpose](../breaking-things.md) shows how a
fault is armed at one. A point whose name says *before* is passed when that has not happened yet: an error there keeps it from happening,
and whoever asked is told that it failed. One that says *after* is passed when it has happened: an error there keeps what comes next from
happening, so that what is durable by then stays so, while whoever asked is told that something failed.

- \`error\`: a disk that fails, with \`EIO\` or \`ENOSPC\`. At \`disk.write.before\` some bytes may be written all the same, a short write.
- \`crash\`: the process dies there.
- \`delay\`, \`hold\`: the pass waits, for some time or until it is released. That is possible only where the kernel waits anyway. At
  points of syncs some passes do not wait, as when a data folder is opened: such a fault does not see them, nor count them.

One workload passes all of them, and each of them fails, kills and delays it somewhere: \`packages/core/test/every-fault-point\`.
`;

/**
 * @param {string} title
 * @param {readonly import("@minikafka/core").FaultPoint[]} points
 */
function section(title, points) {
  const rows = points.map((point) => {
    const actions = actionsAt(point).map((action) => `\`${action}\``);
    return `| \`${point}\` | ${FAULT_POINT_MEANINGS[point]} | ${actions.join(", ")} |`;
  });
  return [`## ${title}\n`, "| point | what is the case | can be armed |", "|---|---|---|", ...rows, ""].join(
    "\n",
  );
}

const SECTIONS = {
  "A partition's log": /^log\./,
  Topics: /^topic\./,
  Coordinators: /^coordinator\./,
  Transactions: /^transaction\./,
  "Any change of the disk": /^disk\./,
};

/** @returns {string} docs/reference/faults.md */
export function faultsPage() {
  const parts = Object.entries(SECTIONS).map(([title, pattern]) =>
    section(
      title,
      FAULT_POINTS.filter((point) => pattern.test(point)),
    ),
  );
  const isElsewhere = Object.values(SECTIONS);
  const others = FAULT_POINTS.filter((point) => !isElsewhere.some((pattern) => pattern.test(point)));
  return [INTRODUCTION, ...parts, section("Files that are replaced whole", others)].join("\n");
}

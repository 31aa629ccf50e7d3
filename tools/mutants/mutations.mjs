/** All mutations: those of each room of the kernel, and one that nobody can miss. */
import { GROUPS } from "./mutations/groups.mjs";
import { REPLICATION } from "./mutations/replication.mjs";
import { STORAGE } from "./mutations/storage.mjs";
import { TRANSACTIONS } from "./mutations/transactions.mjs";

/** @type {import("./mutation.mjs").Mutation} */
const CANARY = {
  name: "canary",
  sentence: "an append tells an offset that is one too high",
  file: "replica/replica-set.ts",
  from: "return { baseOffset, nextOffset, appendTimeMs, duplicate: false, acknowledged };",
  to: "return { baseOffset: baseOffset + 1, nextOffset, appendTimeMs, duplicate: false, acknowledged };",
};

export const MUTATIONS = [CANARY, ...REPLICATION, ...STORAGE, ...TRANSACTIONS, ...GROUPS];

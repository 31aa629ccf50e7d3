/** Authorized operations that nobody asked for (KIP-430): the lowest int32. */
export const OPERATIONS_NOT_ASKED = -2_147_483_648;

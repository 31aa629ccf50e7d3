/** Deletions that may find nothing. */
import { failureOf } from "../failure.ts";

/** Resolves with false when `act` has failed with `code`, and that is welcome. */
export async function whenThere(
  { ifExists }: { readonly ifExists?: true },
  code: string,
  act: () => Promise<unknown>,
): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    if (ifExists === true && failureOf(error).code === code) return false;
    throw error;
  }
}

import { errorFacts, log } from "./log";
import { isDatabaseUnavailable } from "./unavailable";

/**
 * Returns what was read, or `instead` when the reading failed. It serves public pages that can be shown without one of
 * their parts. A failure other than an unreachable database is a defect and is logged as an error.
 */
export async function bestEffort<T>(reading: Promise<T>, instead: T): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (!isDatabaseUnavailable(error))
      log("error", "a part of a page is left out", { error: errorFacts(error) });
    return instead;
  }
}

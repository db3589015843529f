import { errorFacts, log } from "./log";
import { isDatabaseUnavailable } from "./unavailable";

/**
 * Returns the result of `reading`, or `instead` when it fails. Public pages use it for parts that they can leave out.
 * Any failure other than an unreachable database is a defect and is logged as an error.
 */
export async function bestEffort<T>(reading: Promise<T>, instead: T): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (!isDatabaseUnavailable(error))
      log("error", "a part of a page was left out", { error: errorFacts(error) });
    return instead;
  }
}

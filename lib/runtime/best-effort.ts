import { errorFacts, log } from "./log";
import { isDatabaseUnavailable } from "./unavailable";

/**
 * Returns the result of `reading`, or `instead` when it fails. For parts of a page or of /metrics that can be left out.
 * Any failure other than an unavailable database is a defect and is logged as an error.
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

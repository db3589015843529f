import { errorFacts, log } from "./log";
import { isDatabaseUnavailable } from "./unavailable";

/**
 * What was read, or `instead`: for parts of a public page without which the rest of it is still worth showing. A failure
 * that is no absence of the database is a defect, and recorded.
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

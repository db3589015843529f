import { SilentDatabaseError } from "./breaker";
import { hasCause } from "./causes";
import { breaker } from "./client";

/** What was given up later than that was held to no shorter limit: it may have been slow and not silent. */
const GIVEN_UP_EARLY_MS = 1_500;

/**
 * What `work` returns; once more when the connection that it used fell silent while the database is there (decision 346).
 * For work that a repeat of it finds done: what was given up may have happened.
 */
export async function onceMoreWhenSilent<T>(work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  try {
    return await work();
  } catch (error) {
    const wasEarly = performance.now() - startedAt < GIVEN_UP_EARLY_MS;
    const isSilence = hasCause(error, (cause) => cause instanceof SilentDatabaseError);
    if (!wasEarly || !isSilence || breaker().isOpen) throw error;
    return work();
  }
}

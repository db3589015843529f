import { processWide } from "./process-wide";

/**
 * A reading that callers share for `ms` milliseconds (decision 141), so that a busy public page costs one query. A
 * failed reading is not kept: the next caller tries again.
 */
export function sharedFor<T>(name: string, ms: number, read: () => Promise<T>): () => Promise<T> {
  return () => {
    const held = processWide<{ at: number; value: Promise<T> | null }>(`shared.${name}`, () => ({
      at: 0,
      value: null,
    }));
    const now = performance.now();
    if (held.value === null || now - held.at > ms) {
      held.at = now;
      const reading = read();
      held.value = reading;
      reading.catch(() => {
        if (held.value === reading) held.value = null;
      });
    }
    return held.value;
  };
}

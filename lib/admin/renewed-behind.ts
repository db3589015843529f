import { processWide } from "@/lib/runtime/process-wide";

interface Held<T> {
  at: number;
  value: Promise<T> | null;
  renewing: boolean;
}

/**
 * A slow reading that is answered at once with its last value and renewed behind the page once that is older than
 * `ms`. Only the first caller of a process waits, and one who comes when it is older than `mostMs`. A failed renewal
 * leaves the last value; the next caller tries again.
 */
export function renewedBehind<T>(
  name: string,
  ms: number,
  read: () => Promise<T>,
  mostMs = Number.POSITIVE_INFINITY,
): () => Promise<T> {
  return () => {
    const held = processWide<Held<T>>(`admin.${name}`, () => ({ at: 0, value: null, renewing: false }));
    if (held.value === null || (performance.now() - held.at > mostMs && !held.renewing)) {
      const reading = read();
      held.value = reading;
      held.at = performance.now();
      reading.catch(() => {
        if (held.value === reading) held.value = null;
      });
      return reading;
    }
    if (!held.renewing && performance.now() - held.at > ms) {
      held.renewing = true;
      read()
        .then(
          (fresh) => {
            held.value = Promise.resolve(fresh);
            held.at = performance.now();
          },
          () => undefined,
        )
        .finally(() => {
          held.renewing = false;
        });
    }
    return held.value;
  };
}

import type { ApiKey } from "@/lib/access/api-key";
import { onDisconnect } from "@/lib/api/connection";
import { factsOf } from "@/lib/api/facts";
import { recheckKey } from "@/lib/api/require-api-key";
import { changeHub, type OpenRequest } from "./change-hub";

/** Result of a wait: the key from its latest look-up, and whether to close the connection after the answer. */
export interface WaitResult<T> {
  key: ApiKey;
  /** The result of `find`; null: the time was over, or the process stops. */
  news: T | null;
  isStopping: boolean;
}

/**
 * Waits until `find` returns news after a change, at most `seconds`. Throws the 401 of a key that ended meanwhile,
 * and 429 or 503 if too many wait already.
 */
export async function waitForChange<T>(
  request: Request,
  key: ApiKey,
  seconds: number,
  find: (key: ApiKey) => Promise<T | null>,
): Promise<WaitResult<T>> {
  const hub = changeHub();
  if (hub.isStopping) return { key, news: null, isStopping: true };
  const startedAt = performance.now();
  const releases: (() => void)[] = [];
  try {
    const found = await new Promise<{ key: ApiKey; news: T } | null>((done, fail) => {
      const over = () => done(null);
      const open: OpenRequest = {
        way: "wait",
        key,
        async moved() {
          const { key } = open;
          try {
            const news = await find(key);
            if (news !== null) done({ key, news });
          } catch (error) {
            fail(error);
          }
        },
        ended: fail,
        stopped: over,
      };
      releases.push(hub.addRequest(open));
      releases.push(onDisconnect(request, over));
      const timer = setTimeout(over, seconds * 1000);
      releases.push(() => clearTimeout(timer));
    });
    // After the timeout, check once more: the key may have just ended, and a signal may have come.
    const { key: current, news } = found ?? { key: await recheckKey(key), news: null };
    return { key: current, news, isStopping: hub.isStopping };
  } finally {
    for (const release of releases) release();
    factsOf(request).waitedMs = performance.now() - startedAt;
  }
}

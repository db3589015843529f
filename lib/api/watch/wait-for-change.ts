import type { ApiKey } from "@/lib/access/api-key";
import { onDisconnect } from "@/lib/api/connection";
import { requestFactsOf } from "@/lib/api/request-facts";
import { recheckKey } from "@/lib/api/require-api-key";
import { changeHub, type OpenRequest } from "./change-hub";

/** Result of a wait: the key as of its latest look-up, and whether the connection must be closed after the answer. */
export interface WaitResult<T> {
  key: ApiKey;
  /** The value that `find` returned; null: none in time, the client disconnected, or the process is stopping. */
  news: T | null;
  isStopping: boolean;
}

/**
 * Calls `find` after each change of signals, models, the key or its plans until it returns a value, for at most
 * `seconds`. Throws the 401 of a key that ended meanwhile, 429 or 503 if too many requests are open, and 503 if the key
 * cannot be looked up at the end.
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
    // After the timeout the key is looked up again: it may have ended, and the caller answers by the versions of the
    // new look-up.
    const { key: current, news } = found ?? { key: await recheckKey(key), news: null };
    return { key: current, news, isStopping: hub.isStopping };
  } finally {
    for (const release of releases) release();
    requestFactsOf(request).waitedMs = performance.now() - startedAt;
  }
}

import type { ApiKey } from "@/lib/access/api-key";
import { connectionOf } from "@/lib/api/connection";
import { factsOf } from "@/lib/api/facts";
import { lookAgain } from "@/lib/api/require-api-key";
import type { AppError } from "@/lib/wire/errors";
import { keyWatch, takeOpenPlace, type Watcher } from "./key-watch";

/** What a request waits for. */
export interface AwaitedNews<T> extends Pick<Watcher, "prepare"> {
  /** What is new in the moved state; null: nothing for this request. */
  find(key: ApiKey): Promise<T | null>;
}

/** How a wait ended: with the key as it was looked up last, and whether the connection should end with the answer. */
export interface Waited<T> {
  key: ApiKey;
  /** What was found in the moved state; null when the time or the process ended before. */
  news: T | null;
  isStopping: boolean;
}

/**
 * Those who waited hear of a move before one who comes to wait again is looked at: ten thousand who are told at once ask
 * again at once, and would otherwise be answered in the place of those who have heard nothing yet. Null when nobody is
 * being told. It ends with the look-ups, which have limits of their own.
 */
export function afterThoseWhoWait(request: Request): Promise<void> | null {
  const watch = keyWatch();
  if (!watch.isTelling || !/[?&]wait=[1-9]/.test(request.url)) return null;
  return watch.whenAllAreTold();
}

/**
 * Waits until there is news in the moved state, at most `seconds`. Throws the 401 of a key that ended meanwhile, and
 * 429 or 503 when too many wait already.
 */
export async function waitForChange<T>(
  request: Request,
  key: ApiKey,
  seconds: number,
  { prepare, find }: AwaitedNews<T>,
): Promise<Waited<T>> {
  const watch = keyWatch();
  if (watch.isStopping) return { key, news: null, isStopping: true };
  const startedAt = performance.now();
  const giveBack = await takeOpenPlace(key.keyId);
  const connection = connectionOf(request);
  connection.endRequest();
  let remove = () => {};
  let timer: NodeJS.Timeout | undefined;
  let isTold = false;
  try {
    const found = await new Promise<{ key: ApiKey; news: T } | null>((done, fail) => {
      // Node makes a note of a promise that is resolved again, and every connection closes in the end.
      let isOver = false;
      const end = (found: { key: ApiKey; news: T } | null) => {
        if (!isOver) done(found);
        isOver = true;
      };
      const over = () => end(null);
      const moved = (now: ApiKey) => {
        find(now).then((news) => news !== null && end({ key: now, news }), fail);
      };
      remove = watch.add({ key, prepare, moved, ended: (reason: AppError) => fail(reason), stopped: over });
      timer = setTimeout(over, seconds * 1000);
      connection.onClose(over);
    });
    isTold = found !== null;
    // At the end of its time the key may have ended a moment ago, and a signal may have come.
    const { key: current, news } = found ?? { key: await lookAgain(key), news: null };
    return { key: current, news, isStopping: watch.isStopping };
  } finally {
    clearTimeout(timer);
    remove();
    // While others are told, its next request would be in their way: it is read when all have been, and finds a place.
    watch.afterTelling(giveBack);
    if (isTold && watch.isTelling) watch.afterTelling(connection.pause());
    factsOf(request).waitedMs = performance.now() - startedAt;
  }
}

import { SECOND_MS } from "@/lib/time";

const FIRST_RETRY_MS = 2 * SECOND_MS;
const LONGEST_RETRY_MS = 30 * SECOND_MS;
/** A request that takes longer is aborted and repeated. */
const TRY_MS = 20 * SECOND_MS;

/**
 * Makes the router's requests for the open page wait until the service responds. When such a request fails, Next loads
 * the page in full, and the browser shows its error page during an outage. Requests for other pages are unchanged.
 * Returns the clean-up function.
 */
export function retryRefreshes(): () => void {
  const send = window.fetch;
  let nWaiting = 0;
  const patient: typeof fetch = async (input, init) => {
    if (!isForOpenPage(input, init)) return send(input, init);
    nWaiting++;
    try {
      for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_RETRY_MS)) {
        const answer = await send(input, {
          ...init,
          signal: init?.signal ?? AbortSignal.timeout(TRY_MS),
        }).catch(() => null);
        if (answer && (await isGood(answer))) return answer;
        init?.signal?.throwIfAborted();
        await new Promise((done) => setTimeout(done, waitMs));
        // The visitor has left the page, and the router has dropped this request.
        if (!isForOpenPage(input, init)) return send(input, init);
      }
    } finally {
      nWaiting--;
    }
  };
  // While a refresh is pending the router would delay a clicked link, because the pages share a layout: so the browser
  // follows it.
  const onClick = (event: MouseEvent) => {
    if (nWaiting > 0 && event.target instanceof Element && event.target.closest("a[href]"))
      event.stopPropagation();
  };
  window.fetch = patient;
  window.addEventListener("click", onClick, true);
  return () => {
    window.removeEventListener("click", onClick, true);
    if (window.fetch === patient) window.fetch = send;
  };
}

/** Whether the router requests the data of the open page. */
function isForOpenPage(input: RequestInfo | URL, init?: RequestInit): boolean {
  const headers = new Headers(init?.headers);
  if (!headers.has("rsc") || headers.has("next-router-prefetch")) return false;
  const requested = new URL(input instanceof Request ? input.url : input, location.href);
  // A parameter of Next that separates its responses in caches.
  requested.searchParams.delete("_rsc");
  return (
    requested.pathname === location.pathname &&
    `${requested.searchParams}` === `${new URLSearchParams(location.search)}`
  );
}

/** A temporary failure or an incomplete response is not good. A response that access has ended is: the page must close. */
async function isGood(answer: Response): Promise<boolean> {
  if (answer.status === 429 || answer.status >= 500) return false;
  return answer
    .clone()
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    );
}

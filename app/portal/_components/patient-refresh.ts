import { SECOND_MS } from "@/lib/time";

const FIRST_RETRY_MS = 2 * SECOND_MS;
const LONGEST_RETRY_MS = 30 * SECOND_MS;
/** A try that takes longer is given up for the next one. */
const TRY_MS = 20 * SECOND_MS;

/**
 * Makes the router's requests for the page that is open wait for a good answer. Next replaces the page by a full load when
 * such a request fails, and the browser then shows its error page for as long as the service is away. Requests for
 * other pages are left alone: a link that was clicked goes where it leads. Returns what ends it.
 */
export function refreshPatiently(): () => void {
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
        // The visitor has moved on: the router has dropped this request.
        if (!isForOpenPage(input, init)) return send(input, init);
      }
    } finally {
      nWaiting--;
    }
  };
  // The router would hold a link back until the refresh is there, because the pages share their frame: the browser follows it.
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

/** Whether the router asks for the data of the address that the browser shows. */
function isForOpenPage(input: RequestInfo | URL, init?: RequestInit): boolean {
  const headers = new Headers(init?.headers);
  if (!headers.has("rsc") || headers.has("next-router-prefetch")) return false;
  const asked = new URL(input instanceof Request ? input.url : input, location.href);
  // Next's own parameter, which keeps its answers apart in caches.
  asked.searchParams.delete("_rsc");
  return (
    asked.pathname === location.pathname &&
    `${asked.searchParams}` === `${new URLSearchParams(location.search)}`
  );
}

/** A failure that may pass is not a good answer; neither is one that breaks off. Ended access is: the page must go. */
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

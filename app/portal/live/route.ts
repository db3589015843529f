import { documentRoute } from "@/lib/auth/document-route";
import { portalReaderOnly, requireSubscriberOf } from "@/lib/auth/guards";
import { type GiveBack, takePlace } from "@/lib/runtime/places";
import { type LiveState, liveHub, readLive } from "@/lib/subscribers/live-hub";
import { AppError } from "@/lib/wire/errors";

/** How often an open stream asks whether its reader may still listen. */
const RECHECK_MS = 5_000;
/** An unchanged state is sent again after this time, so that the page knows it is still right. */
const REPEAT_MS = 5_000;
/** Keeps proxies from ending a stream that is silent because the database does not answer. */
const BEAT_MS = 20_000;
/** When a page that got no stream may try for one again. */
const RETRY_SECONDS = 30;
/** Open streams of one browser; a page in a hidden tab has none, and one without a stream asks instead. */
const MOST_PER_SESSION = 4;

/** GET /portal/live: server-sent events; with `?once` the present state as JSON, for pages that have to ask. */
export const GET = documentRoute({
  name: "portal.live",
  guard: portalReaderOnly,
  make: async ({ request, subscriber }) => {
    if (new URL(request.url).searchParams.has("once"))
      return Response.json(await readLive(subscriber.subscriptionId));
    const giveBack = await takeRoom(subscriber.sessionId);
    return new Response(streamOf(request, subscriber.subscriptionId, giveBack), {
      headers: {
        "Content-Type": "text/event-stream",
        // no-transform: a compressing proxy would hold events back until its buffer is full.
        "Cache-Control": "no-store, no-transform",
        "X-Accel-Buffering": "no",
      },
    });
  },
});

/** Throws when this session or this process has as many streams as it may. The page then asks from time to time. */
async function takeRoom(sessionId: string): Promise<GiveBack> {
  if (liveHub().isFull) throw tooMany("unavailable");
  const giveBack = await takePlace(`live:${sessionId}`, MOST_PER_SESSION);
  if (giveBack === null) throw tooMany("rate_limited");
  return giveBack;
}

const tooMany = (code: "unavailable" | "rate_limited") =>
  new AppError(code, {
    detail: "Too many live pages are open.",
    headers: { "Retry-After": String(RETRY_SECONDS) },
  });

function streamOf(request: Request, subscriptionId: number, giveBack: GiveBack): ReadableStream<Uint8Array> {
  const text = new TextEncoder();
  let release = () => {};
  return new ReadableStream({
    start(controller) {
      let open = true;
      let last = { said: "", atMs: 0 };
      const write = (chunk: string) => {
        if (open) controller.enqueue(text.encode(chunk));
      };
      const close = () => {
        const wasOpen = open;
        release();
        if (wasOpen) controller.close();
      };
      const takeAway = () => {
        write("event: over\ndata: {}\n\n");
        close();
      };
      const send = (state: LiveState) => {
        const { at, ...rest } = state;
        const said = JSON.stringify(rest);
        const atMs = Date.parse(at);
        if (said === last.said && atMs - last.atMs < REPEAT_MS) return;
        last = { said, atMs };
        write(`data: ${JSON.stringify(state)}\n\n`);
      };
      const recheck = setInterval(() => {
        requireSubscriberOf(request).then(
          (now) => now.subscriptionId === subscriptionId || takeAway(),
          // A thrown Response ends the stream for a reader without access. A database that does not respond does not
          // end it.
          (reason: unknown) => reason instanceof Response && takeAway(),
        );
      }, RECHECK_MS);
      const beat = setInterval(() => write(": \n\n"), BEAT_MS);
      const remove = liveHub().add({ subscriptionId, send, close });
      release = () => {
        open = false;
        clearInterval(recheck);
        clearInterval(beat);
        remove();
        giveBack();
      };
      request.signal.addEventListener("abort", close, { once: true });
      write("retry: 2000\n\n");
    },
    cancel() {
      release();
    },
  });
}

import { changeHub } from "@/lib/api/watch/change-hub";
import { EVENT_STREAM_HEADERS, EventStream, encodeEvents } from "@/lib/api/watch/event-stream";
import { documentRoute } from "@/lib/auth/document-route";
import { portalVisitorOnly, requireSubscriberOf } from "@/lib/auth/guards";
import { processWide } from "@/lib/runtime/process-wide";
import { type LiveState, readLiveState } from "@/lib/subscribers/live-state";
import { AppError } from "@/lib/wire/errors";

/** How often an open stream checks the session and the access. */
const RECHECK_MS = 5_000;
/** An unchanged state is sent again once this time has passed, as a sign that the page's figures are current. */
const REPEAT_MS = 5_000;
/** Interval of comments that keep proxies from closing a stream while the database does not respond. */
const BEAT_MS = 20_000;
/** `Retry-After` of a refused stream, in seconds. */
const RETRY_SECONDS = 30;
/**
 * Maximum number of open streams of a session in this process. A hidden tab has no stream, and a page whose stream is
 * refused polls instead.
 */
const MAX_PER_SESSION = 4;

/** GET /portal/live: server-sent events; with `?once` the current state as JSON, for polling. */
export const GET = documentRoute({
  name: "portal.live",
  guard: portalVisitorOnly,
  make: async ({ request, subscriber: { sessionId, subscriptionId } }) => {
    if (new URL(request.url).searchParams.has("once"))
      return Response.json(await readLiveState(subscriptionId));
    const open = openBySession().get(sessionId) ?? 0;
    if (changeHub().isFullOfPages) throw tooMany("unavailable");
    if (open >= MAX_PER_SESSION) throw tooMany("rate_limited");
    openBySession().set(sessionId, open + 1);
    const { body } = openLiveStream(request, subscriptionId, () => {
      const left = (openBySession().get(sessionId) ?? 1) - 1;
      if (left > 0) openBySession().set(sessionId, left);
      else openBySession().delete(sessionId);
    });
    return new Response(body, { headers: { ...EVENT_STREAM_HEADERS, "Content-Type": "text/event-stream" } });
  },
});

const openBySession = () => processWide("live-streams", () => new Map<string, number>());

const tooMany = (code: "unavailable" | "rate_limited") =>
  new AppError(code, {
    detail: "Too many live pages are open.",
    headers: { "Retry-After": String(RETRY_SECONDS) },
  });

/**
 * Sends the subscription's state when it changes, and unchanged every five seconds or so, until the client disconnects
 * or loses access, or the process stops.
 */
function openLiveStream(request: Request, subscriptionId: number, onEnd: () => void): EventStream {
  const releases = [onEnd];
  const stream = new EventStream(request, () => {
    for (const release of releases.splice(0)) release();
  });
  if (!stream.isOpen) return stream;
  const write = (text: string) => stream.writeIfRoom(encodeEvents(text));
  const takeAway = () => {
    write("event: over\ndata: {}\n\n");
    stream.close();
  };
  let last = { said: "", atMs: 0 };
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
      // The guard throws a Response if access has ended, which ends the stream. Other errors, such as a database
      // outage, do not end it.
      (reason: unknown) => reason instanceof Response && takeAway(),
    );
  }, RECHECK_MS);
  const beat = setInterval(() => write(": \n\n"), BEAT_MS);
  write("retry: 2000\n\n");
  releases.push(
    () => clearInterval(recheck),
    () => clearInterval(beat),
    changeHub().addPage({ subscriptionId, send, stopped: () => stream.close() }),
  );
  return stream;
}

/**
 * The browser script of every portal page. It updates all ages, and fetches the page again when there are newer signals
 * or executions than those it shows or when the trading client's state differs. It finds the parts to update by
 * `data-live-*` attributes, which the components in live.tsx set.
 */
import morphdom from "morphdom";
import { checkSessionBeforeSending, openUnsentDialog } from "@/app/_browser/unsent";
import { formatRelative, formatSpan } from "@/app/_components/times";
import type { ShownVersions } from "@/app/portal/_components/live";
import { PAGE_REFRESH_HEADER } from "@/lib/api/page-address";
import { paths } from "@/lib/paths";
import type { LiveState } from "@/lib/subscribers/live-state";
import { laterInstant, minutesBetween, SECOND_MS } from "@/lib/time";
import { enableCandleCharts, preserveCandleCharts } from "./candles";
import { alignRows } from "./rows";

const POLL_MS = 2_000;
/** A poll without a response is aborted after this time. Until then no other poll starts. */
const POLL_TIMEOUT_MS = 10 * SECOND_MS;
/**
 * Updates count as late after this time. The server sends one every five seconds, and two may be delayed on a slow
 * connection.
 */
const LATE_MS = 15 * SECOND_MS;
/**
 * How long the script waits for a navigation in progress. After this time the next page is loaded, or the link was a
 * download.
 */
const LEAVING_MS = 10 * SECOND_MS;
/** Delay before a refresh, so that one refresh covers all slots whose candles close together. */
const REFRESH_PAUSE_MS = 100;
/** Delay before a second refresh for the same update: a refresh may return a page that is older than the update. */
const SAME_NEWS_MS = 5 * SECOND_MS;
const FIRST_RETRY_MS = 2 * SECOND_MS;
const LONGEST_RETRY_MS = 30 * SECOND_MS;
/** A request for the page that takes longer is aborted and repeated. */
const PAGE_TIMEOUT_MS = 20 * SECOND_MS;

const all = (selector: string) => document.querySelectorAll<HTMLElement>(selector);
const write = (part: Element | null, text: string) => {
  if (part && part.textContent !== text) part.textContent = text;
};
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/**
 * How updates arrive: `page` means none yet since the page was loaded or shown, `lost` that the service cannot be
 * reached.
 */
type Via = "page" | "stream" | "polling" | "lost";
const VIA_TEXT: Record<Via, string> = {
  page: "",
  stream: "Live",
  polling: "Live, every 2 s",
  lost: "No connection, trying",
};

let state: LiveState = JSON.parse(all("[data-live-state]")[0]?.dataset.liveState ?? "null");
let via: Via = "page";
/** How many milliseconds the server's clock is ahead of this device's clock. */
let aheadMs = Date.parse(state.at) - Date.now();
/** Since when this page receives updates, by the server's clock. */
let listensSince: Date | null = null;
/** Whether the visitor has lost access to this page, which stays open only because of what was typed into it. */
let hasLostAccess = false;

/** The current time by the server's clock. */
const serverNow = () => new Date(Date.now() + aheadMs);

/** The time of the last update if updates are late; otherwise null. */
function silentSince(now: Date): Date | null {
  if (hasLostAccess) return null;
  const heardAt = new Date(state.at);
  const from = laterInstant(heardAt, listensSince) ?? heardAt;
  return now.getTime() - from.getTime() > LATE_MS ? heardAt : null;
}

// Showing the state and the ages.

let wasSilent = false;

/** Shows the state and all ages; runs every second and after each update. */
function show(): void {
  const now = serverNow();
  const silent = silentSince(now);
  for (const mark of all("[data-live-mark]")) {
    mark.dataset.liveMark = silent ? "late" : via;
    write(mark.lastElementChild, silent ? `Updated ${formatRelative(silent, now)}` : VIA_TEXT[via]);
  }
  for (const part of all("[data-live-late]"))
    part.hidden = part.dataset.liveLate === "no" ? !!silent : !silent;
  if (silent)
    for (const part of all("[data-live-silent-for]")) write(part, formatSpan(minutesBetween(silent, now)));
  if ((silent !== null) !== wasSilent) announce(silent ? "Updates have stopped." : "");
  wasSilent = silent !== null;

  const { status, lastSeenAt } = state.ea;
  for (const part of all("[data-live-call]")) {
    part.hidden = (part.dataset.liveCall === "none") !== (lastSeenAt === null);
    const time = part.querySelector("time");
    if (lastSeenAt !== null && time) time.dateTime = time.title = lastSeenAt;
  }
  for (const check of all("[data-live-check]")) {
    const since = check.dataset.liveSince;
    const called = lastSeenAt !== null && (since === undefined ? status === "online" : lastSeenAt > since);
    if ((check.dataset.liveCheck === "called") !== called)
      check.dataset.liveCheck = called ? "called" : "waiting";
  }
  showAges(now);
}

function showAges(now: Date): void {
  for (const time of document.querySelectorAll<HTMLTimeElement>("time[data-live-age]")) {
    const at = new Date(time.dateTime);
    if (time.dateTime !== "") write(time, formatRelative(at, now > at ? now : at));
  }
  for (const time of document.querySelectorAll<HTMLTimeElement>("time[data-live-until]")) {
    const minutes = minutesBetween(now, new Date(time.dateTime));
    time.dataset.liveUntil = minutes <= 0 ? "over" : minutes < 5 ? "soon" : "";
    write(time, minutes <= 0 ? "no longer valid" : `valid for ${formatSpan(minutes)}`);
  }
  for (const part of all("[data-live-market-age]")) {
    const { liveMarketAge, liveCountedAt, liveStaleAfter, liveWord } = part.dataset;
    const age = Number(liveMarketAge) + Math.max(0, minutesBetween(new Date(liveCountedAt ?? now), now));
    write(part.firstElementChild, `${formatSpan(age)} ${liveWord}`);
    part.lastElementChild?.toggleAttribute("hidden", age <= Number(liveStaleAfter));
  }
}

/** Announces a text to screen readers. */
function announce(text: string): void {
  for (const part of all("[data-live-says]")) write(part, text);
}

// Receiving updates: by server-sent events, or by polling every two seconds if no stream can be kept open.

let source: EventSource | null = null;
let poll: ReturnType<typeof setInterval> | undefined;
let asking: AbortController | null = null;
let leftAt = Number.NEGATIVE_INFINITY;

/**
 * Reloads the page, whose guard then redirects a visitor without access to the sign-in with a return address. A
 * navigation in progress, such as signing out, is not interrupted. A page with a form that is filled in stays open.
 */
function leave(): void {
  stop();
  hasLostAccess = true;
  via = "page";
  const isLeaving = performance.now() - leftAt < LEAVING_MS;
  setTimeout(
    () => {
      if ([...document.forms].some(hasUnsentText)) openUnsentDialog("ended");
      else window.location.reload();
    },
    isLeaving ? LEAVING_MS : 0,
  );
}

function take(text: string, by: Via): void {
  const next: LiveState = JSON.parse(text);
  const isOther = next.subscriptionId !== state.subscriptionId;
  if (isOther && all("[data-live-shows]").length > 0) {
    leave();
    return;
  }
  // A page without versions to compare is kept even if another subscription is selected meanwhile: it may show a new
  // key, which a reload would not show again.
  state = isOther ? { ...state, at: next.at } : next;
  via = by;
  aheadMs = Date.parse(state.at) - Date.now();
  show();
  refreshWhenNews();
}

async function ask(): Promise<void> {
  if (asking) return;
  const asked = new AbortController();
  asking = asked;
  const timeout = setTimeout(() => asked.abort(), POLL_TIMEOUT_MS);
  const response = await fetch(`${paths.portalLive()}?once`, {
    redirect: "manual",
    signal: asked.signal,
  }).catch(() => null);
  const text = response?.ok ? await response.text().catch(() => null) : null;
  clearTimeout(timeout);
  // The poll was stopped meanwhile, for example because the tab was hidden.
  if (asking !== asked) return;
  asking = null;
  if (response?.type === "opaqueredirect") return leave();
  if (text === null) {
    via = "lost";
    return show();
  }
  const wasLost = via === "lost";
  take(text, "polling");
  // The server responds again, so the stream may work again too.
  if (wasLost && poll !== undefined) listen();
}

function pollState(): void {
  source?.close();
  source = null;
  poll ??= setInterval(ask, POLL_MS);
  void ask();
}

function listen(): void {
  stop();
  hasLostAccess = false;
  source = new EventSource(paths.portalLive());
  source.onmessage = (event) => take(event.data, "stream");
  // The stream has ended. A poll then finds out whether the visitor lost access or the service is down, in which case
  // the page stays open.
  source.addEventListener("over", pollState);
  source.onerror = pollState;
}

function stop(): void {
  source?.close();
  source = null;
  clearInterval(poll);
  poll = undefined;
  asking?.abort();
  asking = null;
}

function onVisibility(): void {
  stop();
  if (document.visibilityState !== "visible") return;
  // A hidden tab gets no updates, so its state must not count as late when it is shown again.
  via = "page";
  listensSince = serverNow();
  show();
  listen();
}

// Refreshing: the page is fetched again and only the parts that differ are replaced, so that scroll position, focus and
// open parts are kept.

let refreshTimer: ReturnType<typeof setTimeout> | undefined;
let waitingFor: string | null = null;
let refreshedFor: string | null = null;
let isRefreshing = false;

/** Refreshes when signals, executions or the trading client's state differ from those the page shows. */
function refreshWhenNews(): void {
  const shown: ShownVersions = JSON.parse(all("[data-live-shows]")[0]?.dataset.liveShows ?? "{}");
  const newSignals = shown.signals !== undefined && state.signals > shown.signals;
  const newExecutions = shown.executions !== undefined && state.executions > shown.executions;
  const isNews = newSignals || newExecutions || (shown.ea !== undefined && state.ea.status !== shown.ea);
  const news = isNews ? `${state.signals} ${state.executions} ${state.ea.status}` : null;
  if (hasLostAccess) return;
  // A refresh that is running or planned already covers this update: during an outage it repeats until the service is
  // back.
  if (isRefreshing || news === waitingFor) return;
  waitingFor = news;
  clearTimeout(refreshTimer);
  if (news === null) return;
  refreshTimer = setTimeout(
    async () => {
      isRefreshing = true;
      refreshedFor = news;
      const html = await pageOrNull();
      if (html !== null && replacePage(html))
        announce(
          newExecutions
            ? "Updated with your EA's reports."
            : newSignals
              ? "Updated with the newest signals."
              : "Updated with your EA's state.",
        );
      isRefreshing = false;
      waitingFor = null;
      refreshWhenNews();
    },
    refreshedFor === news ? SAME_NEWS_MS : REFRESH_PAUSE_MS,
  );
}

/**
 * Fetches the page, again and again until the service responds. Returns null if the visitor has lost access and is
 * leaving the page.
 */
async function pageOrNull(): Promise<string | null> {
  for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_RETRY_MS)) {
    try {
      const response = await fetch(window.location.href, {
        redirect: "manual",
        // The flash, such as a new secret, is for the page that a form leads to.
        headers: { [PAGE_REFRESH_HEADER]: "1" },
        signal: AbortSignal.timeout(PAGE_TIMEOUT_MS),
      });
      if (response.type === "opaqueredirect") {
        leave();
        return null;
      }
      if (response.status !== 429 && response.status < 500) return await response.text();
    } catch {
      // No connection, or an incomplete response.
    }
    await pause(waitMs);
  }
}

/**
 * Replaces the parts of the page that differ. Returns false if the document is not a page of this subscription; the
 * browser then loads it in full.
 */
function replacePage(html: string): boolean {
  const made = new DOMParser().parseFromString(html, "text/html");
  const next: LiveState | undefined = JSON.parse(
    made.querySelector<HTMLElement>("[data-live-state]")?.dataset.liveState ?? "{}",
  );
  if (next?.subscriptionId !== state.subscriptionId) {
    leave();
    return false;
  }
  const focused = document.activeElement;
  const candles = preserveCandleCharts();
  alignRows(document.body, made.body);
  // This includes the navigation, because the name, the plan and the offered pages may have changed.
  morphdom(document.body, made.body, {
    childrenOnly: true,
    onBeforeElUpdated(part, next) {
      if (part.matches("[data-live-own]") || candles.keeps(part, next)) return false;
      if (part.matches("dialog[open]") || isChanged(part)) return false;
      if (part instanceof HTMLFormElement && isBeingFilledIn(part)) return false;
      if (part instanceof HTMLDetailsElement && next instanceof HTMLDetailsElement) next.open = part.open;
      return true;
    },
  });
  // An element whose row was moved has lost the focus.
  if (focused instanceof HTMLElement && focused !== document.activeElement)
    focused.focus({ preventScroll: true });
  document.title = made.title;
  candles.drawAgain();
  show();
  return true;
}

/** Whether the visitor changed the value of a field. */
function isChanged(field: Element): boolean {
  if (field instanceof HTMLInputElement)
    return field.value !== field.defaultValue || field.checked !== field.defaultChecked;
  if (field instanceof HTMLTextAreaElement) return field.value !== field.defaultValue;
  if (!(field instanceof HTMLSelectElement)) return false;
  const given = [...field.options].findLastIndex((option) => option.defaultSelected);
  return field.selectedIndex !== Math.max(given, 0);
}

/** Whether the visitor is using a form: it has the focus or a changed field. A refresh leaves such a form as it is. */
const isBeingFilledIn = (form: HTMLFormElement) =>
  form.contains(document.activeElement) || [...form.elements].some(isChanged);

/** Whether the visitor changed a field of a form that stores something. */
const hasUnsentText = (form: HTMLFormElement) => form.method === "post" && [...form.elements].some(isChanged);

checkSessionBeforeSending({
  address: `${paths.portalLive()}?once`,
  isSameSession: async (response) => {
    const { subscriptionId }: LiveState = await response.json();
    return subscriptionId === state.subscriptionId;
  },
});
addEventListener("beforeunload", () => {
  leftAt = performance.now();
});
document.addEventListener("visibilitychange", onVisibility);
setInterval(show, SECOND_MS);
enableCandleCharts();
onVisibility();
show();

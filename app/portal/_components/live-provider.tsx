"use client";

import { useRouter } from "next/navigation";
import { createContext, type ReactNode, useContext, useEffect, useRef, useState, useTransition } from "react";
import { paths } from "@/lib/paths";
import { laterInstant, SECOND_MS } from "@/lib/time";
import type { EaStateName } from "@/lib/vocabulary";
import { retryRefreshes } from "./retry-refresh";

/** The state from the server; same shape as its `LiveState`. */
interface ServerState {
  /** When the server read it. */
  at: string;
  signals: number;
  executions: number;
  ea: { status: EaStateName; lastSeenAt: string | null };
}

export interface LivePortalState extends ServerState {
  /** How updates arrive; `lost`: they do not. */
  via: "page" | "stream" | "polling" | "lost";
  /** Since when this page receives updates, by the server's clock; null before the first one. */
  listensSince: Date | null;
}

const POLL_MS = 2_000;
/** The server sends every five seconds. Two messages may be late on a slow connection. */
const LATE_MS = 15 * SECOND_MS;
/** After this time the next page is loaded, or the link was a download. */
const LEAVING_MS = 10 * SECOND_MS;

const LiveContext = createContext<LivePortalState | null>(null);
const NowContext = createContext<Date | null>(null);

/** The last state, and how far the server's clock is ahead of this device's; null before the first measurement. */
interface LastUpdate {
  live: LivePortalState;
  aheadMs: number | null;
}

/**
 * Receives updates while the page is visible: by server-sent events, or by polling every two seconds if a stream cannot
 * be held open. `initial` is the state of the first rendering.
 */
export function LivePortalProvider({ initial, children }: { initial: ServerState; children: ReactNode }) {
  const [{ live, aheadMs }, setLastUpdate] = useState<LastUpdate>({
    live: { ...initial, via: "page", listensSince: null },
    aheadMs: null,
  });
  const now = useTicking(initial.at, aheadMs);

  useEffect(() => {
    let source: EventSource | null = null;
    let poll: ReturnType<typeof setInterval> | undefined;
    let lost = false;
    let leftAt = Number.NEGATIVE_INFINITY;

    // The page's guard redirects a visitor without access and adds the return address. A navigation in progress, such as
    // signing out, is not interrupted.
    const leave = () => {
      const isLeaving = performance.now() - leftAt < LEAVING_MS;
      if (!isLeaving) return window.location.reload();
      stop();
      setTimeout(() => window.location.reload(), LEAVING_MS);
    };
    const onLeaving = () => {
      leftAt = performance.now();
    };
    const take = (text: string, via: LivePortalState["via"]) => {
      const state: ServerState = JSON.parse(text);
      setLastUpdate((last) => ({
        live: { ...last.live, ...state, via },
        aheadMs: Date.parse(state.at) - Date.now(),
      }));
    };

    async function ask() {
      const response = await fetch(`${paths.portalLive()}?once`, { redirect: "manual" }).catch(() => null);
      if (response?.type === "opaqueredirect") return leave();
      if (!response?.ok) {
        lost = true;
        return setLastUpdate((last) => ({ ...last, live: { ...last.live, via: "lost" } }));
      }
      take(await response.text(), "polling");
      // The server responds again, so the stream may work again too.
      if (lost) listen();
      lost = false;
    }
    function pollState() {
      source?.close();
      source = null;
      poll ??= setInterval(ask, POLL_MS);
      void ask();
    }
    function listen() {
      stop();
      source = new EventSource(paths.portalLive());
      source.onmessage = (event) => take(event.data, "stream");
      // Polls before it leaves the page, so that the page stays open while the service is away.
      source.addEventListener("over", pollState);
      source.onerror = pollState;
    }
    function stop() {
      source?.close();
      source = null;
      clearInterval(poll);
      poll = undefined;
    }
    function onVisibility() {
      if (document.visibilityState !== "visible") return stop();
      // A page in the background gets no updates, so its state must not count as late.
      setLastUpdate(({ live: last, aheadMs: ahead }) => {
        const aheadMs = ahead ?? Date.parse(last.at) - Date.now();
        return { live: { ...last, via: "page", listensSince: new Date(Date.now() + aheadMs) }, aheadMs };
      });
      listen();
    }

    onVisibility();
    const stopRetries = retryRefreshes();
    document.addEventListener("visibilitychange", onVisibility);
    window.addEventListener("beforeunload", onLeaving);
    return () => {
      stopRetries();
      window.removeEventListener("beforeunload", onLeaving);
      document.removeEventListener("visibilitychange", onVisibility);
      stop();
    };
  }, []);

  return (
    <LiveContext value={live}>
      <NowContext value={now}>{children}</NowContext>
    </LiveContext>
  );
}

/** The current time by the server's clock, advancing every second from `madeAt`; all ages on a page use it. */
function useTicking(madeAt: string, aheadMs: number | null): Date {
  const [now, setNow] = useState(() => new Date(madeAt));
  useEffect(() => {
    if (aheadMs === null) return;
    const tick = () => setNow(new Date(Date.now() + aheadMs));
    tick();
    const timer = setInterval(tick, SECOND_MS);
    return () => clearInterval(timer);
  }, [aheadMs]);
  return now;
}

export function useLivePortalState(): LivePortalState {
  const live = useContext(LiveContext);
  if (!live) throw new Error("useLivePortalState stands outside of LivePortalProvider");
  return live;
}

/** The current time by the server's clock; it advances while the page is open. */
export function useNow(): Date {
  const now = useContext(NowContext);
  if (!now) throw new Error("useNow stands outside of LivePortalProvider");
  return now;
}

/** Since when updates are late; null while they arrive. */
export function useSilentSince(): Date | null {
  const { at, listensSince } = useLivePortalState();
  const now = useNow();
  const heardAt = new Date(at);
  const from = laterInstant(heardAt, listensSince) ?? heardAt;
  return now.getTime() - from.getTime() > LATE_MS ? heardAt : null;
}

/** Several slots close their candle together: one refresh covers all of them. */
const REFRESH_PAUSE_MS = 100;
/** A refresh may return a state older than the update; the next one for the same update follows after this time. */
const SAME_NEWS_MS = 5 * SECOND_MS;

/** Versions and states that a page shows; a page omits what it does not show. */
interface Shown {
  signals?: number;
  executions?: number;
  ea?: LivePortalState["ea"]["status"];
}

/**
 * Renders the page again when signals or executions are newer than the given versions, or when the trading client's state
 * differs from `ea`. Unchanged elements stay in place. Screen readers announce the change.
 */
export function RefreshWhenNews({ signals, executions, ea }: Shown) {
  const live = useLivePortalState();
  const router = useRouter();
  const [isRefreshing, startRefresh] = useTransition();
  const newSignals = signals !== undefined && live.signals > signals;
  const newExecutions = executions !== undefined && live.executions > executions;
  const isNews = newSignals || newExecutions || (ea !== undefined && live.ea.status !== ea);
  const news = isNews ? `${live.signals} ${live.executions} ${live.ea.status}` : null;
  const refreshedFor = useRef<string | null>(null);
  const [announcement, setAnnouncement] = useState("");

  useEffect(() => {
    // During an outage the pending refresh returns the newest state once the service is back.
    if (news === null || isRefreshing) return;
    const timer = setTimeout(
      () => {
        refreshedFor.current = news;
        startRefresh(() => router.refresh());
        setAnnouncement(
          newExecutions ? "Updated with your EA's reports." : "Updated with the newest signals.",
        );
      },
      refreshedFor.current === news ? SAME_NEWS_MS : REFRESH_PAUSE_MS,
    );
    return () => clearTimeout(timer);
  }, [news, newExecutions, isRefreshing, router]);

  return (
    <span role="status" className="sr-only">
      {announcement}
    </span>
  );
}

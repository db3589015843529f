"use client";

import { useRouter } from "next/navigation";
import { createContext, type ReactNode, useContext, useEffect, useRef, useState, useTransition } from "react";
import { paths } from "@/lib/paths";
import { laterInstant, SECOND_MS } from "@/lib/time";
import type { EaStateName } from "@/lib/vocabulary";
import { refreshPatiently } from "./patient-refresh";

/** The state that the server sends; the same as its `LiveState`. */
interface Said {
  /** When the server read it. */
  at: string;
  signals: number;
  executions: number;
  ea: { status: EaStateName; lastSeenAt: string | null };
}

export interface Live extends Said {
  /** How updates arrive; `lost`: not at present. */
  via: "page" | "stream" | "asking" | "lost";
  /** Since when this page listens, by the server's clock; null before it does. */
  listensSince: Date | null;
}

const POLL_MS = 2_000;
/** The server repeats itself every five seconds. Two of those may be late on a slow line. */
const LATE_MS = 15 * SECOND_MS;
/** Another page is there by then, or what was asked for was a file. */
const LEAVING_MS = 10 * SECOND_MS;

const LiveContext = createContext<Live | null>(null);
const NowContext = createContext<Date | null>(null);

/** What the server said, and by how much its clock is ahead of this device's; null before this device was asked. */
interface Heard {
  live: Live;
  aheadMs: number | null;
}

/**
 * Listens for updates while the page is visible: by server-sent events, or by asking every two seconds where a stream
 * cannot be held open. `initial` is what the page was made with.
 */
export function LiveProvider({ initial, children }: { initial: Said; children: ReactNode }) {
  const [{ live, aheadMs }, setHeard] = useState<Heard>({
    live: { ...initial, via: "page", listensSince: null },
    aheadMs: null,
  });
  const now = useTicking(initial.at, aheadMs);

  useEffect(() => {
    let source: EventSource | null = null;
    let poll: ReturnType<typeof setInterval> | undefined;
    let lost = false;
    let leftAt = Number.NEGATIVE_INFINITY;

    // The page's guard redirects a reader without access, and remembers this page for the way back. Who is on the way to
    // another page already, by signing out for one, gets there.
    const leave = () => {
      const isLeaving = performance.now() - leftAt < LEAVING_MS;
      if (!isLeaving) return window.location.reload();
      stop();
      setTimeout(() => window.location.reload(), LEAVING_MS);
    };
    const onLeaving = () => {
      leftAt = performance.now();
    };
    const take = (text: string, via: Live["via"]) => {
      const said: Said = JSON.parse(text);
      setHeard((last) => ({
        live: { ...last.live, ...said, via },
        aheadMs: Date.parse(said.at) - Date.now(),
      }));
    };

    async function ask() {
      const response = await fetch(`${paths.portalLive()}?once`, { redirect: "manual" }).catch(() => null);
      if (response?.type === "opaqueredirect") return leave();
      if (!response?.ok) {
        lost = true;
        return setHeard((last) => ({ ...last, live: { ...last.live, via: "lost" } }));
      }
      take(await response.text(), "asking");
      // The server answers again, so the stream may work again too.
      if (lost) listen();
      lost = false;
    }
    function askRepeatedly() {
      source?.close();
      source = null;
      poll ??= setInterval(ask, POLL_MS);
      void ask();
    }
    function listen() {
      stop();
      source = new EventSource(paths.portalLive());
      source.onmessage = (event) => take(event.data, "stream");
      // Asked first: a page whose service went away with its session stays open.
      source.addEventListener("over", askRepeatedly);
      source.onerror = askRepeatedly;
    }
    function stop() {
      source?.close();
      source = null;
      clearInterval(poll);
      poll = undefined;
    }
    function onVisibility() {
      if (document.visibilityState !== "visible") return stop();
      // A page that comes back to the front has not listened for a while, which is nobody's fault.
      setHeard(({ live: last, aheadMs: ahead }) => {
        const aheadMs = ahead ?? Date.parse(last.at) - Date.now();
        return { live: { ...last, via: "page", listensSince: new Date(Date.now() + aheadMs) }, aheadMs };
      });
      listen();
    }

    onVisibility();
    const endPatience = refreshPatiently();
    document.addEventListener("visibilitychange", onVisibility);
    window.addEventListener("beforeunload", onLeaving);
    return () => {
      endPatience();
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

/** The server's present moment, moving on every second from `madeAt`: the one that every age on a page is counted to. */
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

export function useLive(): Live {
  const live = useContext(LiveContext);
  if (!live) throw new Error("useLive stands outside of LiveProvider");
  return live;
}

/** The present moment by the server's clock; it moves on by itself. */
export function useNow(): Date {
  const now = useContext(NowContext);
  if (!now) throw new Error("useNow stands outside of LiveProvider");
  return now;
}

/** Since when nothing has come from the server, once that is longer than it should be; null while all is well. */
export function useSilentSince(): Date | null {
  const { at, listensSince } = useLive();
  const now = useNow();
  const heardAt = new Date(at);
  const from = laterInstant(heardAt, listensSince) ?? heardAt;
  return now.getTime() - from.getTime() > LATE_MS ? heardAt : null;
}

/** Several slots close their candle together: one refresh for all of them. */
const REFRESH_PAUSE_MS = 100;
/** A refresh may show a state that is older than the news; the next one for the same news comes after this time. */
const SAME_NEWS_MS = 5 * SECOND_MS;

/** What a page shows, as versions and states; a page leaves out what it does not show. */
interface Shown {
  signals?: number;
  executions?: number;
  ea?: Live["ea"]["status"];
}

/**
 * Renders the page again when signals or executions arrived after the versions it was made with, or when the trading
 * client's state is no longer `ea`. What did not change stays in place. Screen readers are told of the change.
 */
export function RefreshWhenNews({ signals, executions, ea }: Shown) {
  const live = useLive();
  const router = useRouter();
  const [isRefreshing, startRefresh] = useTransition();
  const newSignals = signals !== undefined && live.signals > signals;
  const newExecutions = executions !== undefined && live.executions > executions;
  const isNews = newSignals || newExecutions || (ea !== undefined && live.ea.status !== ea);
  const news = isNews ? `${live.signals} ${live.executions} ${live.ea.status}` : null;
  const refreshedFor = useRef<string | null>(null);
  const [announcement, setAnnouncement] = useState("");

  useEffect(() => {
    // A refresh that waits for the service brings the newest state when it comes.
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

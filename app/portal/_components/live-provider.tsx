"use client";

import { useRouter } from "next/navigation";
import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { paths } from "@/lib/paths";
import type { EaStateName } from "@/lib/vocabulary";

/** The state that the server sends; the same as its `LiveState`. */
export interface Live {
  signals: number;
  ea: { status: EaStateName; lastSeenAt: string | null };
  /** How updates arrive; `lost`: not at present. */
  via: "page" | "stream" | "asking" | "lost";
}

const POLL_MS = 2_000;
const LiveContext = createContext<Live | null>(null);

/**
 * Listens for updates while the page is visible: by server-sent events, or by asking every two seconds where a stream
 * cannot be held open (decision 87). `initial` is what the page was made with.
 */
export function LiveProvider({ initial, children }: { initial: Omit<Live, "via">; children: ReactNode }) {
  const [live, setLive] = useState<Live>({ ...initial, via: "page" });

  useEffect(() => {
    let source: EventSource | null = null;
    let poll: ReturnType<typeof setInterval> | undefined;
    let lost = false;

    // The page's guard redirects a reader without access, and remembers this page for the way back.
    const leave = () => window.location.reload();
    const take = (text: string, via: Live["via"]) => setLive({ ...JSON.parse(text), via });

    async function ask() {
      const response = await fetch(`${paths.portalLive()}?once`, { redirect: "manual" }).catch(() => null);
      if (response?.type === "opaqueredirect") return leave();
      if (!response?.ok) {
        lost = true;
        return setLive((last) => ({ ...last, via: "lost" }));
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
      source.addEventListener("over", leave);
      source.onerror = askRepeatedly;
    }
    function stop() {
      source?.close();
      source = null;
      clearInterval(poll);
      poll = undefined;
    }
    const onVisibility = () => (document.visibilityState === "visible" ? listen() : stop());

    onVisibility();
    document.addEventListener("visibilitychange", onVisibility);
    return () => {
      document.removeEventListener("visibilitychange", onVisibility);
      stop();
    };
  }, []);

  return <LiveContext value={live}>{children}</LiveContext>;
}

export function useLive(): Live {
  const live = useContext(LiveContext);
  if (!live) throw new Error("useLive stands outside of LiveProvider");
  return live;
}

const REFRESH_PAUSE_MS = 100;

/**
 * Renders the page again when signals arrived after version `signals`, or when the trading client's state is no longer
 * `ea`. What did not change stays in place. Screen readers are told of the change.
 */
export function RefreshWhenNews({ signals, ea }: { signals: number; ea?: Live["ea"]["status"] }) {
  const live = useLive();
  const router = useRouter();
  const isNews = live.signals > signals || (ea !== undefined && live.ea.status !== ea);
  const [announcement, setAnnouncement] = useState("");

  useEffect(() => {
    if (!isNews) return;
    // Several slots close their candle together: one refresh for all of them.
    const timer = setTimeout(() => {
      router.refresh();
      setAnnouncement("Updated with the newest signals.");
    }, REFRESH_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [isNews, router]);

  return (
    <span role="status" className="sr-only">
      {announcement}
    </span>
  );
}

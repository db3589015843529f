"use client";

import { useEffect, useState } from "react";
import { StatusPill } from "@/app/_components/status-pill";
import { formatRelative } from "@/app/_components/times";
import { useLive } from "./live-provider";

const TICK_MS = 5_000;

/** `now` moves on every five seconds, beginning with the moment the page was made. */
function useNow(madeAt: string): Date {
  const [now, setNow] = useState(() => new Date(madeAt));
  useEffect(() => {
    setNow(new Date());
    const timer = setInterval(() => setNow(new Date()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** State of the trading client, kept up to date. */
export function EaPill() {
  const { ea } = useLive();
  return <StatusPill state={ea.status} />;
}

/** When the trading client last called, as an age that grows. */
export function LastCall({ madeAt, never = "No call yet" }: { madeAt: string; never?: string }) {
  const { ea } = useLive();
  const now = useNow(madeAt);
  if (ea.lastSeenAt === null) return <>{never}</>;
  const at = new Date(ea.lastSeenAt);
  return (
    <>
      Last call{" "}
      <time dateTime={ea.lastSeenAt} title={ea.lastSeenAt} suppressHydrationWarning>
        {formatRelative(at, now > at ? now : at)}
      </time>
    </>
  );
}

const WORD = {
  page: "Connecting",
  stream: "Live",
  asking: "Live, every 2 s",
  lost: "No connection, trying",
} as const;
const DOT = { page: "fill-edge/50", stream: "fill-up", asking: "fill-up", lost: "fill-warn" } as const;

/** How updates reach this page. */
export function LiveMark() {
  const { via } = useLive();
  return (
    <span className="inline-flex items-center gap-1.5 text-xs text-faint">
      <svg viewBox="0 0 8 8" width="8" height="8" aria-hidden="true">
        <circle cx="4" cy="4" r="3.5" className={DOT[via]} />
      </svg>
      {WORD[via]}
    </span>
  );
}

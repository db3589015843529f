"use client";

import { Notice } from "@/app/_components/notice";
import { StatusPill } from "@/app/_components/status-pill";
import { formatRelative, formatSpan } from "@/app/_components/times";
import { minutesBetween } from "@/lib/time";
import { useLivePortalState, useNow, useSilentSince } from "./live-provider";

/** The state of the trading client, updated live; unknown while no updates arrive. */
export function EaPill() {
  const { ea } = useLivePortalState();
  const silentSince = useSilentSince();
  return silentSince ? <StatusPill state="unknown" /> : <StatusPill state={ea.status} />;
}

/** The age of the trading client's last call, counted on. */
export function LastCall({ never = "No call yet" }: { never?: string }) {
  const { ea } = useLivePortalState();
  const now = useNow();
  if (ea.lastSeenAt === null) return <>{never}</>;
  const at = new Date(ea.lastSeenAt);
  return (
    <>
      Last call{" "}
      <time dateTime={ea.lastSeenAt} title={ea.lastSeenAt}>
        {formatRelative(at, now > at ? now : at)}
      </time>
    </>
  );
}

/** The age of an instant, counted on; `at` as ISO 8601. */
export function LiveTimeAgo({ at }: { at: string }) {
  const now = useNow();
  const then = new Date(at);
  return (
    <time dateTime={at} title={at}>
      {formatRelative(then, now > then ? now : then)}
    </time>
  );
}

const WORD = {
  page: "",
  stream: "Live",
  polling: "Live, every 2 s",
  lost: "No connection, trying",
} as const;
const DOT = { page: "fill-none", stream: "fill-up", polling: "fill-up", lost: "fill-warn" } as const;

/** How the page is updated, and its age once updates stop. Empty until the first update. */
export function LiveMark() {
  const { via } = useLivePortalState();
  const now = useNow();
  const silentSince = useSilentSince();
  return (
    <span className="inline-flex items-center gap-1.5 text-xs text-faint">
      <svg viewBox="0 0 8 8" width="8" height="8" aria-hidden="true">
        <circle cx="4" cy="4" r="3.5" className={silentSince ? "fill-warn" : DOT[via]} />
      </svg>
      {silentSince ? `Updated ${formatRelative(silentSince, now)}` : WORD[via]}
    </span>
  );
}

/** Above the page while no updates arrive: the content is old. */
export function LateNotice() {
  const now = useNow();
  const silentSince = useSilentSince();
  return (
    <>
      <span role="status" className="sr-only">
        {silentSince ? "Updates have stopped." : ""}
      </span>
      {silentSince && (
        <div className="mb-6">
          <Notice
            tone="warn"
            title={`This page was updated ${formatSpan(minutesBetween(silentSince, now))} ago`}
          >
            The service cannot be reached. The page updates by itself as soon as it can. Until then the
            signals below may be out of date.
          </Notice>
        </div>
      )}
    </>
  );
}

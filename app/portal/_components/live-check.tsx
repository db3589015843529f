"use client";

import { CircleCheck, LoaderCircle } from "lucide-react";
import { LastCall } from "./ea-state";
import { useLivePortalState } from "./live-provider";

/** Turns green when the trading client calls after `since`; without `since`, after its newest call. */
export function LiveCheck({ since, waiting }: { since?: string; waiting: string }) {
  const { ea } = useLivePortalState();
  const called =
    ea.lastSeenAt !== null && (since === undefined ? ea.status === "online" : ea.lastSeenAt > since);
  return (
    <p
      role="status"
      className={`flex min-h-14 items-center gap-3 rounded-lg border px-4 py-3 text-sm ${called ? "border-up/30 bg-up-soft" : "bg-sunken"}`}
    >
      {called && ea.lastSeenAt ? (
        <>
          <CircleCheck aria-hidden="true" className="size-5 shrink-0 text-up" />
          <span>
            <strong className="font-semibold">Your EA is connected.</strong>{" "}
            <span className="text-muted">
              <LastCall />.
            </span>
          </span>
        </>
      ) : (
        <>
          <LoaderCircle aria-hidden="true" className="size-5 shrink-0 text-faint motion-safe:animate-spin" />
          <span className="text-muted">{waiting}. This page updates by itself.</span>
        </>
      )}
    </p>
  );
}

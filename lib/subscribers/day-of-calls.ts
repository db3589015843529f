import type { Handle } from "@/db/client";
import { listSeenSpans, SEEN_SPANS, type SeenSpans, SPAN_SECONDS } from "@/db/queries/heartbeats";
import { SECOND_MS } from "@/lib/time";
import { newestCall } from "./heartbeat";

const SPAN_MS = SPAN_SECONDS * SECOND_MS;

export interface DayOfCalls {
  /** Start of the oldest span. */
  from: Date;
  spanMinutes: number;
  /** Oldest first, up to the span of now: whether a call came. */
  spans: boolean[];
}

/** In which ten minutes of the last day a subscription's trading client called, by any of its keys. */
export async function readDayOfCalls(handle: Handle, subscriptionId: number, now: Date): Promise<DayOfCalls> {
  const [stored, newest] = await Promise.all([
    listSeenSpans(handle, subscriptionId),
    newestCall(subscriptionId),
  ]);
  return dayOfCalls(stored, newest, now);
}

/** The same from what is stored and the call that is not written yet. Pure. */
export function dayOfCalls(stored: readonly SeenSpans[], newest: Date | null, now: Date): DayOfCalls {
  const spanOf = (at: Date) => Math.floor(at.getTime() / SPAN_MS);
  const first = spanOf(now) - SEEN_SPANS + 1;
  const spans = Array<boolean>(SEEN_SPANS).fill(false);
  const note = (span: number) => {
    if (span >= first && span < first + SEEN_SPANS) spans[span - first] = true;
  };
  for (const { lastSeenAt, spans: bits } of stored) {
    [...bits].forEach((bit, i) => {
      if (bit === "1") note(spanOf(lastSeenAt) - bits.length + 1 + i);
    });
  }
  if (newest) note(spanOf(newest));
  return { from: new Date(first * SPAN_MS), spanMinutes: SPAN_SECONDS / 60, spans };
}

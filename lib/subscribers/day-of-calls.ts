import type { DatabaseHandle } from "@/db/client";
import {
  HEARTBEAT_SPAN_SECONDS,
  HEARTBEAT_SPANS_PER_DAY,
  type KeyCallSpans,
  listKeyCallSpans,
} from "@/db/queries/heartbeats";
import { SECOND_MS } from "@/lib/time";
import { newestUnwrittenCall } from "./heartbeat";

const SPAN_MS = HEARTBEAT_SPAN_SECONDS * SECOND_MS;

export interface DayOfCalls {
  /** Start of the oldest span. */
  from: Date;
  spanMinutes: number;
  /** Whether a call came in each span, oldest first, the present span last. */
  spans: boolean[];
}

/** For each 10-minute span of the last day: whether a subscription's trading client called, with any of its keys. */
export async function readDayOfCalls(
  handle: DatabaseHandle,
  subscriptionId: number,
  now: Date,
): Promise<DayOfCalls> {
  const [stored, newest] = await Promise.all([
    listKeyCallSpans(handle, subscriptionId),
    newestUnwrittenCall(subscriptionId),
  ]);
  return computeDayOfCalls(stored, newest, now);
}

/** The spans of the last day with a call, from stored spans and the newest call, which may not be written yet. Pure. */
export function computeDayOfCalls(
  stored: readonly KeyCallSpans[],
  newest: Date | null,
  now: Date,
): DayOfCalls {
  const spanOf = (at: Date) => Math.floor(at.getTime() / SPAN_MS);
  const first = spanOf(now) - HEARTBEAT_SPANS_PER_DAY + 1;
  const spans = Array<boolean>(HEARTBEAT_SPANS_PER_DAY).fill(false);
  const note = (span: number) => {
    if (span >= first && span < first + HEARTBEAT_SPANS_PER_DAY) spans[span - first] = true;
  };
  for (const { lastSeenAt, spans: bits } of stored) {
    [...bits].forEach((bit, i) => {
      if (bit === "1") note(spanOf(lastSeenAt) - bits.length + 1 + i);
    });
  }
  if (newest) note(spanOf(newest));
  return { from: new Date(first * SPAN_MS), spanMinutes: HEARTBEAT_SPAN_SECONDS / 60, spans };
}

"use client";

import { formatSpan } from "@/app/_components/times";
import { minutesBetween } from "@/lib/time";
import { useNow } from "./live-provider";

interface SlotAgeProps {
  /** Open-market minutes that the signal was old at `countedAt`. */
  minutes: number;
  /** ISO 8601. */
  countedAt: string;
  /** From this age on the signal is stale. */
  staleAfterMinutes: number;
  /** After the age. */
  word: "old" | "ago";
}

/** The age of a slot's newest signal while its market is open, counted on; it turns stale by itself. */
export function SlotAge({ minutes, countedAt, staleAfterMinutes, word }: SlotAgeProps) {
  const now = useNow();
  const age = minutes + Math.max(0, minutesBetween(new Date(countedAt), now));
  return (
    <>
      {formatSpan(age)} {word}
      {age > staleAfterMinutes && <span className="font-medium text-warn"> · stale</span>}
    </>
  );
}

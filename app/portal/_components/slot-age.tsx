"use client";

import { formatSpan } from "@/app/_components/times";
import { minutesBetween } from "@/lib/time";
import { useNow } from "./live-provider";

interface SlotAgeProps {
  /** Age of the signal in open-market minutes at `countedAt`. */
  minutes: number;
  /** ISO 8601. */
  countedAt: string;
  /** From this age on the signal is stale. */
  staleAfterMinutes: number;
  /** After the age. */
  word: "old" | "ago";
}

/** The age of a slot's newest signal, counted on while its market is open; it turns stale in the browser. */
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

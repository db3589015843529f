import type { SlotFreshness } from "@/lib/market/freshness";
import { SlotAge } from "./live";

/** The age of a slot's newest signal, or “market closed”. */
export function SlotAgeOrClosed({
  freshness,
  now,
  word = "old",
}: {
  freshness: SlotFreshness;
  now: Date;
  word?: "old" | "ago";
}) {
  if (!freshness.marketOpen) return "market closed";
  if (freshness.ageMinutes === null) return null;
  return (
    <SlotAge
      minutes={freshness.ageMinutes}
      countedAt={now}
      staleAfterMinutes={freshness.staleAfterMinutes}
      word={word}
    />
  );
}

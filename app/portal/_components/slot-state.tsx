import type { SlotFreshness } from "@/lib/market/freshness";
import { SlotAge } from "./slot-age";

/** How old a slot's newest signal is. While the market is closed no time passes that would make it older. */
export function SlotState({
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
      countedAt={now.toISOString()}
      staleAfterMinutes={freshness.staleAfterMinutes}
      word={word}
    />
  );
}

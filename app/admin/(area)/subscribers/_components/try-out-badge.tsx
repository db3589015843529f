import { Badge } from "@/app/_components/badge";
import { countWithNoun } from "@/app/_components/figures";

/** Marks a try-out key with the delay of its signals; nothing for any other key. */
export function TryOutBadge({ delayCandles }: { delayCandles: number | null }) {
  return delayCandles === null ? null : (
    <Badge tone="warn">
      <span>
        Try-out<span className="phone:hidden">, {countWithNoun(delayCandles, "candle")} late</span>
      </span>
    </Badge>
  );
}

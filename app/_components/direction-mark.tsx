import { ArrowDown, ArrowUp, Minus } from "lucide-react";
import type { Direction } from "@/lib/vocabulary";
import { classNames } from "./class-names";

const LOOK = {
  BUY: { icon: ArrowUp, word: "BUY", text: "text-up", fill: "bg-up-soft" },
  SELL: { icon: ArrowDown, word: "SELL", text: "text-down", fill: "bg-down-soft" },
  NO_TRADE: { icon: Minus, word: "NO TRADE", text: "text-muted", fill: "bg-sunken" },
} as const;

/** A direction as arrow, word and colour; NO_TRADE is shown in a muted colour. */
export function DirectionMark({
  direction,
  size = "medium",
}: {
  direction: Direction;
  size?: "medium" | "large";
}) {
  const { icon: Icon, word, text, fill } = LOOK[direction];
  const large = size === "large";
  return (
    <span
      className={classNames(
        "inline-flex items-center align-middle font-semibold whitespace-nowrap",
        large ? "gap-2.5 text-lg" : "gap-1.5 text-xs",
        text,
      )}
    >
      <span
        className={classNames(
          "grid place-items-center",
          large ? "size-8 rounded-md" : "size-5 rounded-sm",
          fill,
        )}
      >
        <Icon aria-hidden="true" className={large ? "size-5" : "size-3.5"} strokeWidth={2.5} />
      </span>
      {word}
    </span>
  );
}

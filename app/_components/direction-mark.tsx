"use client";

import { ArrowDown, ArrowUp, Minus } from "lucide-react";
import type { Direction } from "@/lib/vocabulary";
import { classNames } from "./class-names";

const STYLES = {
  BUY: { icon: ArrowUp, word: "BUY", text: "text-up", fill: "bg-up-soft", loud: "bg-up text-raised" },
  SELL: {
    icon: ArrowDown,
    word: "SELL",
    text: "text-down",
    fill: "bg-down-soft",
    loud: "bg-down text-raised",
  },
  NO_TRADE: {
    icon: Minus,
    word: "NO TRADE",
    text: "text-muted",
    fill: "bg-sunken",
    loud: "bg-sunken text-muted",
  },
} as const;

/** `loud`: actionable now; `quiet`: not actionable. */
export type DirectionWeight = "loud" | "normal" | "quiet";

/** A direction as arrow, word and colour; NO_TRADE has a muted colour. */
export function DirectionMark({
  direction,
  size = "medium",
  weight = "normal",
}: {
  direction: Direction;
  size?: "medium" | "large";
  weight?: DirectionWeight;
}) {
  const { icon: Icon, word, text, fill, loud } = STYLES[direction];
  const isLoud = weight === "loud" && direction !== "NO_TRADE";
  const large = size === "large";
  return (
    <span
      className={classNames(
        "inline-flex items-center align-middle font-semibold whitespace-nowrap",
        large ? "gap-2.5 text-lg" : "gap-1.5 text-xs",
        weight === "quiet" ? "text-muted" : isLoud ? loud : text,
        isLoud && (large ? "rounded-md py-1 pr-3 pl-1" : "rounded-sm py-0.5 pr-2 pl-0.5"),
      )}
    >
      <span
        className={classNames(
          "grid place-items-center",
          large ? "size-8 rounded-md" : "size-5 rounded-sm",
          weight === "quiet" ? "bg-sunken" : !isLoud && fill,
        )}
      >
        <Icon aria-hidden="true" className={large ? "size-5" : "size-3.5"} strokeWidth={2.5} />
      </span>
      {word}
    </span>
  );
}

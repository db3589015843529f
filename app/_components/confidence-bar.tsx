"use client";

import { formatShare } from "./figures";

/** A confidence in 0..1 as a number with a thin bar, on the same scale on every page. */
export function ConfidenceBar({ value, label = "Confidence" }: { value: number; label?: string }) {
  return (
    <span className="inline-flex items-center gap-2 align-middle">
      <svg
        width="56"
        height="6"
        role="img"
        aria-label={`${label} ${formatShare(value)}`}
        className="shrink-0"
      >
        <rect width="100%" height="6" rx="3" className="fill-line" />
        <rect width={`${(value * 100).toFixed(1)}%`} height="6" rx="3" className="fill-ink/70" />
      </svg>
      <span aria-hidden="true" className="w-10 text-right text-sm tabular-nums">
        {formatShare(value)}
      </span>
    </span>
  );
}

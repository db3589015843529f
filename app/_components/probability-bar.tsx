"use client";

import { formatShare } from "./figures";

/** The three class probabilities (each 0..1) as one stacked bar with numbers below it. */
export function ProbabilityBar({ buy, no, sell }: { buy: number; no: number; sell: number }) {
  const total = buy + no + sell || 1;
  const parts = [
    { name: "Buy", share: buy, className: "fill-up" },
    { name: "No trade", share: no, className: "fill-edge/50" },
    { name: "Sell", share: sell, className: "fill-down" },
  ];
  let from = 0;
  return (
    <div className="w-full min-w-40">
      <svg width="100%" height="8" aria-hidden="true" className="block overflow-hidden rounded-full">
        {parts.map(({ name, share, className }) => {
          const x = from;
          from += (share / total) * 100;
          return (
            <rect
              key={name}
              x={`${x}%`}
              width={`${(share / total) * 100}%`}
              height="8"
              className={`${className} stroke-raised`}
            />
          );
        })}
      </svg>
      <dl className="mt-1.5 flex justify-between gap-3 text-xs">
        {parts.map(({ name, share }) => (
          <div key={name} className="flex gap-1 whitespace-nowrap">
            <dt className="text-faint">{name}</dt>
            <dd className="font-medium tabular-nums">{formatShare(share)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

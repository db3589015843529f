import type { ReactNode } from "react";
import type { DrawnCandles } from "./candle-drawing";

const BUTTONS = [
  { zoom: "out", sign: "−", name: "Zoom out" },
  { zoom: "in", sign: "+", name: "Zoom in" },
  { zoom: "all", sign: "⤢", name: "All candles" },
] as const;

/**
 * A static picture of candles. The portal's script (`app/portal/_browser/candles.ts`) draws an interactive chart of the
 * same data over it.
 */
export function LiveCandles({
  data,
  label,
  children,
}: {
  data: DrawnCandles;
  label: string;
  children: ReactNode;
}) {
  return (
    <div data-candles={JSON.stringify(data)} className="group/live relative">
      <div className="group-data-candles-drawn/live:invisible print:visible!">{children}</div>
      <div className="pointer-events-none absolute inset-0 rounded-sm opacity-0 group-data-candles-drawn/live:pointer-events-auto group-data-candles-drawn/live:opacity-100 focus-within:outline-2 focus-within:outline-accent noscript:hidden print:hidden">
        <div
          role="application"
          aria-label={`${label}. Left and right move through the candles, plus and minus zoom.`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the script gives it keys
          tabIndex={0}
          className="h-[302px] w-full outline-none"
        />
        <div className="hidden group-data-candles-drawn/live:block">
          <p
            aria-live="polite"
            data-candles-label
            className="pointer-events-none absolute top-1 left-1 z-10 rounded-sm bg-raised/85 px-1.5 py-0.5 text-xs text-muted tabular-nums"
          />
          <div className="absolute bottom-8 left-1 z-10 flex items-end gap-1">
            {BUTTONS.map(({ zoom, sign, name }) => (
              <button
                key={zoom}
                type="button"
                aria-label={name}
                title={name}
                data-candles-zoom={zoom}
                className="grid size-7 place-items-center rounded-sm border bg-raised/85 text-sm text-muted hover:border-edge hover:text-ink"
              >
                {sign}
              </button>
            ))}
            <a
              href="https://www.tradingview.com/lightweight-charts/"
              rel="noreferrer"
              className="rounded-sm bg-raised/85 px-1 text-xs text-faint hover:text-ink"
            >
              <span className="phone:hidden">Lightweight Charts™ by </span>TradingView
            </a>
          </div>
        </div>
      </div>
    </div>
  );
}

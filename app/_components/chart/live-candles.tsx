"use client";

import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import type { CandleLabel, DrawnCandles } from "./candle-drawing";

/** Controls of the drawn chart. */
export interface CandleControls {
  zoom(factor: number): void;
  reset(): void;
  /** Moves the crosshair by a number of candles and returns its index; null: outside of the chart. */
  step(by: number): number | null;
  end(): void;
}

/**
 * An interactive chart over the static picture of the same data. The picture is used for print, without JavaScript, and
 * until the first pointer or key event, which loads the library.
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
  const host = useRef<HTMLDivElement>(null);
  const controls = useRef<CandleControls | null>(null);
  const [wanted, setWanted] = useState(false);
  const [drawn, setDrawn] = useState(false);
  const [at, setAt] = useState<number | null>(null);

  useEffect(() => {
    const element = host.current;
    if (!element || data.candles.length === 0) return;
    if (!wanted) return;
    let remove = () => {};
    let isOver = false;
    import("./candle-drawing").then(
      ({ drawCandles }) => {
        if (isOver) return;
        const chart = drawCandles(element, data, setAt);
        controls.current = chart;
        remove = chart.remove;
        setDrawn(true);
      },
      // The import failed, such as during a restart: the picture stays and the next event tries again.
      () => setWanted(false),
    );
    return () => {
      isOver = true;
      remove();
      controls.current = null;
      setDrawn(false);
    };
  }, [data, wanted]);

  const press = (event: KeyboardEvent) => {
    const chart = controls.current;
    const act = chart && KEYS[event.key];
    if (!act) return;
    event.preventDefault();
    const place = act(chart);
    if (place !== undefined) setAt(place);
  };
  const shown = at === null ? data.labels.at(-1) : data.labels[at];

  return (
    // A pointer that is already over the chart at hydration fires no enter event, so moves count too.
    <div
      className="group/live relative"
      onPointerEnter={() => setWanted(true)}
      onPointerMove={() => setWanted(true)}
    >
      <div className={drawn ? "invisible print:visible" : undefined}>{children}</div>
      <div
        className={
          drawn
            ? "absolute inset-0 rounded-sm focus-within:outline-2 focus-within:outline-accent print:hidden"
            : "pointer-events-none absolute inset-0 opacity-0 print:hidden"
        }
      >
        <div
          ref={host}
          role="application"
          aria-label={`${label}. Left and right move through the candles, plus and minus zoom.`}
          tabIndex={data.candles.length > 0 ? 0 : -1}
          onFocus={() => setWanted(true)}
          onKeyDown={press}
          className="h-[302px] w-full outline-none"
        />
        {drawn && (
          <>
            <p
              aria-live="polite"
              className="pointer-events-none absolute top-1 left-1 z-10 rounded-sm bg-raised/85 px-1.5 py-0.5 text-xs text-muted tabular-nums"
            >
              {shown && <Readout label={shown} />}
            </p>
            <div className="absolute bottom-8 left-1 z-10 flex items-end gap-1">
              {BUTTONS.map(({ sign, name, act }) => (
                <button
                  key={sign}
                  type="button"
                  aria-label={name}
                  title={name}
                  onClick={() => controls.current && act(controls.current)}
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
          </>
        )}
      </div>
    </div>
  );
}

const ZOOM = 1.4;

const BUTTONS = [
  { sign: "−", name: "Zoom out", act: (chart: CandleControls) => chart.zoom(ZOOM) },
  { sign: "+", name: "Zoom in", act: (chart: CandleControls) => chart.zoom(1 / ZOOM) },
  { sign: "⤢", name: "All candles", act: (chart: CandleControls) => chart.reset() },
] as const;

/** The effect of a key: the new index of the crosshair, or undefined for no change. */
const KEYS: Record<string, (chart: CandleControls) => number | null | undefined> = {
  ArrowLeft: (chart) => chart.step(-1),
  ArrowRight: (chart) => chart.step(1),
  PageUp: (chart) => chart.step(-10),
  PageDown: (chart) => chart.step(10),
  "+": (chart) => void chart.zoom(1 / ZOOM),
  "=": (chart) => void chart.zoom(1 / ZOOM),
  "-": (chart) => void chart.zoom(ZOOM),
  Home: (chart) => void chart.reset(),
  End: (chart) => void chart.end(),
};

function Readout({ label }: { label: CandleLabel }) {
  return (
    <>
      <span className="text-ink">{label.time}</span> O {label.open} H {label.high} L {label.low} C{" "}
      {label.close}
      {label.signal && <span className="font-medium text-ink"> {label.signal}</span>}
    </>
  );
}

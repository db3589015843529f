import {
  type AutoscaleInfo,
  type CandlestickData,
  CandlestickSeries,
  ColorType,
  CrosshairMode,
  createChart,
  createSeriesMarkers,
  LineStyle,
  type SeriesMarker,
  TickMarkType,
  type UTCTimestamp,
} from "lightweight-charts";
import { formatNumber } from "@/app/_components/figures";
import type { Side } from "@/lib/vocabulary";
import { PHONE_CANDLES, priceDomain } from "./candle-scale";

/**
 * Wall time of the opening in seconds, by the offset that the chosen clock has at the newest candle, then open, high,
 * low and close.
 */
export type DrawnCandle = [wallSeconds: number, open: number, high: number, low: number, close: number];

/** Time and prices of a candle as formatted text, for the line of text over the top of the chart. */
export interface CandleLabel {
  time: string;
  open: string;
  high: string;
  low: string;
  close: string;
  signal: string | null;
}

/** A price drawn as a line. */
export interface PriceLevel {
  kind: "entry" | "stop" | "target" | "exit";
  price: number;
  label: string;
}

/** The opening or closing of a position, at its candle. */
export interface PositionFillMark {
  kind: "entry" | "exit";
  index: number;
  price: number;
  /** The name in the table. */
  label: string;
  /** Whether the interactive chart draws the label at the mark. The table always has it, the static chart never. */
  isLabelled: boolean;
}

/** All data of the chart, serialised by the server. */
export interface DrawnCandles {
  candles: readonly DrawnCandle[];
  labels: readonly CandleLabel[];
  signals: readonly { index: number; side: Side }[];
  levels: readonly PriceLevel[];
  fills: readonly PositionFillMark[];
  digits: number;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;
const NARROW_PX = 520;

/** Draws the candles into an element and follows its size and the page's theme until `remove`. */
export function drawCandles(host: HTMLElement, data: DrawnCandles, hover: (index: number | null) => void) {
  const rows: CandlestickData<UTCTimestamp>[] = data.candles.map(([seconds, open, high, low, close]) => ({
    // The library knows only UTC timestamps, so it gets wall times of the chosen clock as if they were UTC.
    time: seconds as UTCTimestamp,
    open,
    high,
    low,
    close,
  }));
  const chart = createChart(host, {
    autoSize: true,
    // The library's logo needs a style element, which the Content-Security-Policy blocks; the page names the library
    // instead.
    layout: { attributionLogo: false, background: { type: ColorType.Solid, color: "transparent" } },
    // The crosshair has no price label at the axis, which would cover the labels of the price levels. The text over
    // the top of the chart shows the prices.
    crosshair: { mode: CrosshairMode.Magnet, horzLine: { labelVisible: false } },
    // Same scale as the static picture that this chart replaces; its margin is part of the price range.
    rightPriceScale: { borderVisible: false, scaleMargins: { top: 0.02, bottom: 0.02 } },
    timeScale: { borderVisible: false, rightOffset: 2, timeVisible: true, tickMarkFormatter: formatTick },
    localization: {
      priceFormatter: (price: number) => formatNumber(price, data.digits),
      timeFormatter: (time: UTCTimestamp) => data.labels[indexOf.get(time) ?? -1]?.time ?? "",
    },
    // The wheel and vertical swipes scroll the page.
    handleScroll: { mouseWheel: false, vertTouchDrag: false },
    handleScale: { mouseWheel: false },
  });
  const indexOf = new Map(rows.map(({ time }, index) => [time, index]));
  const around = [...data.levels, ...data.fills].map(({ price }) => price);
  const series = chart.addSeries(CandlestickSeries, {
    priceFormat: { type: "price", precision: data.digits, minMove: 10 ** -data.digits },
    priceLineVisible: data.levels.length === 0,
    autoscaleInfoProvider: (original: () => AutoscaleInfo | null) => {
      const info = original();
      if (!info?.priceRange) return info;
      const { priceRange: seen } = info;
      const [minValue, maxValue] = priceDomain([seen.minValue, seen.maxValue, ...around]);
      return { ...info, priceRange: { minValue, maxValue } };
    },
  });
  series.setData(rows);
  const lines = data.levels.map(({ kind, price, label }) => ({
    kind,
    line: series.createPriceLine({
      price,
      title: label,
      lineWidth: 1,
      axisLabelVisible: true,
      lineStyle: kind === "entry" || kind === "exit" ? LineStyle.Solid : LineStyle.Dashed,
    }),
  }));
  const markers = createSeriesMarkers(series, []);

  const paint = () => {
    const colour = paletteOf(host);
    chart.applyOptions({
      layout: { textColor: colour("--color-muted"), fontFamily: getComputedStyle(host).fontFamily },
      grid: { vertLines: { color: colour("--color-line") }, horzLines: { color: colour("--color-line") } },
      crosshair: {
        vertLine: { color: colour("--color-edge"), labelBackgroundColor: colour("--color-ink") },
        horzLine: { color: colour("--color-edge"), labelBackgroundColor: colour("--color-ink") },
      },
    });
    const up = colour("--color-up");
    const down = colour("--color-down");
    series.applyOptions({
      upColor: colour("--color-raised"),
      borderUpColor: up,
      wickUpColor: up,
      downColor: down,
      borderDownColor: down,
      wickDownColor: down,
    });
    const ofKind = { entry: colour("--color-ink"), exit: colour("--color-accent"), stop: down, target: up };
    for (const { kind, line } of lines) line.applyOptions({ color: ofKind[kind] });
    markers.setMarkers(marksOf(data, rows, { up, down, own: colour("--color-accent") }));
  };
  paint();

  const newest = () => {
    const shown = host.clientWidth < NARROW_PX ? Math.min(PHONE_CANDLES, rows.length) : rows.length;
    chart.timeScale().setVisibleLogicalRange({ from: rows.length - shown - 0.5, to: rows.length + 1.5 });
  };
  newest();

  let place: number | null = null;
  chart.subscribeCrosshairMove(({ time }) => {
    place = time === undefined ? null : (indexOf.get(time as UTCTimestamp) ?? null);
    hover(place);
  });
  // A finger cannot hover: a tap selects a candle.
  chart.subscribeClick(({ time }) => {
    const index = time === undefined ? undefined : indexOf.get(time as UTCTimestamp);
    const row = index === undefined ? undefined : rows[index];
    if (index === undefined || !row) return;
    chart.setCrosshairPosition(row.close, row.time, series);
    place = index;
    hover(index);
  });
  const themes = new MutationObserver(paint);
  themes.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", paint);

  return {
    zoom(factor: number) {
      const range = chart.timeScale().getVisibleLogicalRange();
      if (!range) return;
      const width = Math.min(rows.length + 2, Math.max(8, (range.to - range.from) * factor));
      chart.timeScale().setVisibleLogicalRange({ from: range.to - width, to: range.to });
    },
    reset: () => chart.timeScale().fitContent(),
    end: newest,
    step(by: number): number | null {
      const next = Math.min(rows.length - 1, Math.max(0, (place ?? rows.length) + by));
      const row = rows[next];
      if (!row) return null;
      chart.setCrosshairPosition(row.close, row.time, series);
      const range = chart.timeScale().getVisibleLogicalRange();
      if (range && (next < range.from || next > range.to)) {
        const width = range.to - range.from;
        const from = next < range.from ? next - 1 : next + 1 - width;
        chart.timeScale().setVisibleLogicalRange({ from, to: from + width });
      }
      place = next;
      return next;
    },
    remove() {
      themes.disconnect();
      system.removeEventListener("change", paint);
      chart.remove();
    },
  };
}

function marksOf(
  { signals, fills }: DrawnCandles,
  rows: readonly CandlestickData<UTCTimestamp>[],
  colour: { up: string; down: string; own: string },
): SeriesMarker<UTCTimestamp>[] {
  const marks: SeriesMarker<UTCTimestamp>[] = [];
  for (const { index, side } of signals) {
    const row = rows[index];
    if (!row) continue;
    marks.push(
      side === "BUY"
        ? { time: row.time, position: "belowBar", shape: "arrowUp", color: colour.up, size: 0.8 }
        : { time: row.time, position: "aboveBar", shape: "arrowDown", color: colour.down, size: 0.8 },
    );
  }
  for (const { kind, index, price, label, isLabelled } of fills) {
    const row = rows[index];
    if (row)
      marks.push({
        time: row.time,
        position: "atPriceMiddle",
        price,
        shape: kind === "entry" ? "circle" : "square",
        color: colour.own,
        ...(isLabelled ? { text: label } : {}),
        size: 0.8,
      });
  }
  return marks.sort((a, b) => a.time - b.time);
}

/** Theme colours as RGB, because the library cannot parse `light-dark()`. */
function paletteOf(host: HTMLElement): (name: string) => string {
  const probe = document.createElement("span");
  host.append(probe);
  const colours = new Map<string, string>();
  return (name) => {
    const known = colours.get(name);
    if (known !== undefined) return known;
    probe.remove();
    host.append(probe);
    probe.style.color = `var(${name})`;
    const colour = getComputedStyle(probe).color;
    probe.remove();
    colours.set(name, colour);
    return colour;
  };
}

/** A label of the time axis. Times are wall times, so their UTC fields are read. */
function formatTick(time: UTCTimestamp, type: TickMarkType): string {
  const wall = new Date(time * 1000);
  if (type === TickMarkType.Year) return String(wall.getUTCFullYear());
  if (type === TickMarkType.Month) return MONTHS[wall.getUTCMonth()] ?? "";
  if (type === TickMarkType.DayOfMonth) return `${wall.getUTCDate()} ${MONTHS[wall.getUTCMonth()]}`;
  return wall.toISOString().slice(11, 16);
}

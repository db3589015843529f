import { runningPeak } from "@/lib/engine/chart/drawdown";
import { niceTicks, paddedDomain, tickDigits } from "@/lib/engine/chart/scale";
import { thinCurve } from "@/lib/engine/chart/thin-curve";
import { BUY, NO_TRADE } from "@/lib/engine/classes";
import { at } from "@/lib/engine/column";
import { directionScore, type FollowedSignal } from "@/lib/engine/evaluation";
import { aucBinary } from "@/lib/engine/scores/auc";
import type { Calibration } from "@/lib/engine/scores/calibration-error";
import type { RecipeRecord, WalkForward } from "@/lib/engine/walk-forward";
import { type Axis, area, count, escapeHtml, figure, frame, line, nameOfLine, type Point, px } from "./chart";
import { percent, table } from "./table";

const SIZE = { width: 760, height: 280 };

/** Hit rate against confidence, with the number of forecasts in each bin below. */
export function reliabilityFigure(calibration: Calibration): string {
  const axis: Axis = {
    min: 0.3,
    max: 1,
    ticks: [0.4, 0.6, 0.8, 1],
    label: (v) => `${Math.round(100 * v)} %`,
  };
  const at = frame({ width: 520, height: 340 }, axis, axis);
  const filled = calibration.bins.filter((bin) => bin.n > 0);
  const most = Math.max(1, ...filled.map((bin) => bin.n));
  const dots = filled
    .map(({ n, avgConfidence, hitRate }) => {
      const [x, y] = [px(at.x(avgConfidence ?? 0)), px(at.y(hitRate ?? 0))];
      const radius = (3 + 6 * Math.sqrt(n / most)).toFixed(1);
      return (
        `<circle class="dot" cx="${x}" cy="${y}" r="${radius}"/>` +
        `<text class="tick" x="${px(Number(x) + 12)}" y="${px(Number(y) + 12)}">n ${count(n)}</text>`
      );
    })
    .join("");
  const diagonal = line(
    at,
    [
      { x: 0.3, y: 0.3 },
      { x: 1, y: 1 },
    ],
    "reference",
  );
  const rows = filled.map((bin) => [
    `${percent(bin.lo)} to ${percent(bin.hi)}`,
    count(bin.n),
    percent(bin.avgConfidence ?? 0),
    percent(bin.hitRate ?? 0),
  ]);
  return (
    figure(
      "How often the forecast class came true (upward) at each confidence (to the right); on the dotted line they are equal",
      at,
      axis,
      axis,
      diagonal + dots,
    ) + table(["Confidence", "n", "Mean confidence", "Came true"], rows)
  );
}

/**
 * Running total in R after costs in the order in which results ended, with the depth below its peak.
 *
 * @param span open times of the first and last candle judged: stretches in which nothing was followed are shown as such
 */
export function equityFigure(
  title: string,
  signals: readonly FollowedSignal[],
  tsOfRow: (row: number) => number,
  span: { fromMs: number; toMs: number },
): string {
  if (signals.length === 0) {
    return `<figure><p class="empty">${escapeHtml(title)}: nothing was followed.</p></figure>`;
  }
  const curve = [{ x: span.fromMs, value: 0 }];
  let total = 0;
  for (const { grossR, costR, endRow } of [...signals].sort((a, b) => a.endRow - b.endRow)) {
    total += grossR - costR;
    curve.push({ x: tsOfRow(endRow), value: total });
  }
  curve.push({ x: Math.max(span.toMs, curve.at(-1)?.x ?? 0), value: total });
  const peaks = runningPeak(curve.map(({ value }) => value));
  const depth = curve.map(({ x, value }, i) => ({ x, value: value - (peaks[i] ?? 0) }));
  const [equityLine, depthLine] = [drawn(curve), drawn(depth)];
  const xAxis = timeAxis(equityLine);
  const yAxis = rangeAxis([...curve, ...depth].map(({ value }) => value));
  const at = frame(SIZE, xAxis, yAxis);
  const lines =
    area(at, depthLine, "drawdown") +
    line(at, equityLine, "series") +
    nameOfLine(at, equityLine, `${total.toFixed(0)} R`, "series") +
    nameOfLine(at, depthLine, "below its peak", "soft");
  const caption = `${title}: running total in R after costs, and how far it was below its peak; n ${count(signals.length)}`;
  return figure(caption, at, xAxis, yAxis, lines);
}

/** A curve thinned for drawing, so that a line over years stays small; it begins where the whole curve begins. */
function drawn(curve: readonly { x: number; value: number }[]): Point[] {
  const [first, ...rest] = curve;
  const points = first === undefined ? [] : [first, ...thinCurve(rest, 800)];
  return points.map(({ x, value }) => ({ x, y: value }));
}

/** AUC of direction and of NO_TRADE over windows of about a quarter. */
export function rollingAucFigure(
  walk: WalkForward,
  record: RecipeRecord,
  tsOfRow: (row: number) => number,
): string {
  const windows = 40;
  const direction: Point[] = [];
  const noTrade: Point[] = [];
  const probs = record.calibrated;
  for (let w = 0; w < windows; w++) {
    const begin = Math.floor((walk.rows.length * w) / windows);
    const end = Math.floor((walk.rows.length * (w + 1)) / windows);
    const positions = Array.from({ length: end - begin }, (_, i) => begin + i);
    const x = tsOfRow(walk.rows[Math.floor((begin + end) / 2)] ?? 0);
    const decided = positions.filter((i) => walk.labels[i] !== NO_TRADE);
    const ofDirection = aucBinary(
      decided.map((i) => directionScore(probs, i)),
      decided.map((i) => walk.labels[i] === BUY),
    );
    const ofNoTrade = aucBinary(
      positions.map((i) => at(probs, 3 * i + 2)),
      positions.map((i) => walk.labels[i] === NO_TRADE),
    );
    if (ofDirection !== null) direction.push({ x, y: ofDirection });
    if (ofNoTrade !== null) noTrade.push({ x, y: ofNoTrade });
  }
  const all = [...direction, ...noTrade];
  const xAxis = timeAxis(all);
  const yAxis = rangeAxis([0.4, 0.8, ...all.map((p) => p.y)]);
  const place = frame(SIZE, xAxis, yAxis);
  const chance = line(
    place,
    [
      { x: xAxis.min, y: 0.5 },
      { x: xAxis.max, y: 0.5 },
    ],
    "reference",
  );
  const lines =
    chance +
    line(place, noTrade, "series") +
    line(place, direction, "second") +
    nameOfLine(place, noTrade, "will it move", "series") +
    nameOfLine(place, direction, "which way", "second");
  const each = count(Math.round(walk.rows.length / windows));
  return figure(
    `AUC in ${windows} stretches of ${each} candles each; 0.5, the dotted line, is chance`,
    place,
    xAxis,
    yAxis,
    lines,
  );
}

/** The most important columns as bars. */
export function importanceFigure(importance: readonly { name: string; share: number }[]): string {
  const shown = importance.slice(0, 15);
  const most = Math.max(1e-9, ...shown.map(({ share }) => share));
  const rows = shown
    .map(
      ({ name, share }) =>
        `<tr><td>${escapeHtml(name)}</td><td class="bar"><span style="width:${(100 * (share / most)).toFixed(1)}%"></span></td><td class="number">${percent(share)}</td></tr>`,
    )
    .join("");
  return `<div class="scroll"><table><thead><tr><th>Feature</th><th></th><th class="number">Share</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function timeAxis(points: readonly Point[]): Axis {
  const [min, max] = [points[0]?.x ?? 0, points.at(-1)?.x ?? 1];
  const years: number[] = [];
  for (let year = new Date(min).getUTCFullYear() + 1; Date.UTC(year, 0, 1) <= max; year++)
    years.push(Date.UTC(year, 0, 1));
  const ticks = years.length > 1 ? years : [min, max];
  return {
    min,
    max,
    ticks,
    label: (v) => new Date(v).toISOString().slice(0, years.length > 1 ? 4 : 10),
  };
}

function rangeAxis(values: readonly number[]): Axis {
  const [min, max] = paddedDomain(values, { air: 0.05 });
  const ticks = niceTicks([min, max], 5);
  return { min, max, ticks, label: (v) => v.toFixed(tickDigits(ticks)) };
}

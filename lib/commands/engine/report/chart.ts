import { linearScale } from "@/lib/engine/chart/scale";

/** A point of a line, in data units. */
export interface Point {
  x: number;
  y: number;
}

export interface Axis {
  min: number;
  max: number;
  ticks: number[];
  label: (value: number) => string;
}

/** Where a chart of a given size draws: margins for the labels, and data units to pixels. */
export interface Frame {
  width: number;
  height: number;
  x: (value: number) => number;
  y: (value: number) => number;
}

/** On the right there is room for the names of the lines. */
const MARGIN = { left: 52, right: 96, top: 12, bottom: 28 };

/** The frame of a chart of this size with these axes. */
export function frame(size: { width: number; height: number }, xAxis: Axis, yAxis: Axis): Frame {
  return {
    ...size,
    x: linearScale([xAxis.min, xAxis.max], [MARGIN.left, size.width - MARGIN.right]),
    y: linearScale([yAxis.min, yAxis.max], [size.height - MARGIN.bottom, MARGIN.top]),
  };
}

/** An SVG figure with its axes; `title` is read by screen readers and shown as the caption. */
export function figure(title: string, at: Frame, xAxis: Axis, yAxis: Axis, content: string): string {
  const grid = yAxis.ticks
    .map((tick) => {
      const y = px(at.y(tick));
      return (
        `<line class="${tick === 0 ? "zero" : "grid"}" x1="${MARGIN.left}" x2="${at.width - MARGIN.right}" y1="${y}" y2="${y}"/>` +
        `<text class="tick" x="${MARGIN.left - 6}" y="${y}" text-anchor="end" dominant-baseline="middle">${escapeHtml(yAxis.label(tick))}</text>`
      );
    })
    .join("");
  const below = xAxis.ticks
    .map(
      (tick) =>
        `<text class="tick" x="${px(at.x(tick))}" y="${at.height - 8}" text-anchor="middle">${escapeHtml(xAxis.label(tick))}</text>`,
    )
    .join("");
  return (
    `<figure><svg viewBox="0 0 ${at.width} ${at.height}" style="max-width:${at.width}px" role="img" aria-label="${escapeHtml(title)}">` +
    `${grid}${below}${content}</svg><figcaption>${escapeHtml(title)}</figcaption></figure>`
  );
}

/** A polyline; `kind` is its CSS class. */
export function line(at: Frame, points: readonly Point[], kind: string): string {
  const path = points.map(({ x, y }) => `${px(at.x(x))},${px(at.y(y))}`).join(" ");
  return `<polyline class="${kind}" points="${path}"/>`;
}

/** The surface between a line and zero. */
export function area(at: Frame, points: readonly Point[], kind: string): string {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return "";
  const path = [{ x: first.x, y: 0 }, ...points, { x: last.x, y: 0 }]
    .map(({ x, y }) => `${px(at.x(x))},${px(at.y(y))}`)
    .join(" ");
  return `<polygon class="${kind}" points="${path}"/>`;
}

/** The name of a line, to the right of its end. */
export function nameOfLine(at: Frame, points: readonly Point[], name: string, kind: string): string {
  const end = points.at(-1);
  if (end === undefined) return "";
  return `<text class="name ${kind}" x="${px(at.x(end.x) + 6)}" y="${px(at.y(end.y))}" dominant-baseline="middle">${escapeHtml(name)}</text>`;
}

/** 12,345. */
export function count(n: number): string {
  return n.toLocaleString("en-US");
}

/** A length or place in an SVG figure. */
export function px(value: number): string {
  return value.toFixed(1);
}

/** Text as it may stand in HTML and in an attribute. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

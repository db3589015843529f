export type PlotPoint = { x: number; y: number | null };

const round = (value: number): number => Number(value.toFixed(2));

/** Runs of points without a gap between them; a point without a value ends its run. */
export function unbrokenRuns(points: readonly PlotPoint[]): { x: number; y: number }[][] {
  const runs: { x: number; y: number }[][] = [];
  let run: { x: number; y: number }[] = [];
  for (const { x, y } of points) {
    if (y === null) {
      if (run.length > 0) runs.push(run);
      run = [];
    } else {
      run.push({ x, y });
    }
  }
  if (run.length > 0) runs.push(run);
  return runs;
}

/** The `d` of a line through the points, broken where a value is missing. A lone point becomes a short dash. */
export function linePath(points: readonly PlotPoint[]): string {
  return unbrokenRuns(points)
    .map((run) => {
      const [first] = run;
      if (run.length === 1 && first) return `M${round(first.x - 2)} ${round(first.y)}h4`;
      return run.map(({ x, y }, index) => `${index === 0 ? "M" : "L"}${round(x)} ${round(y)}`).join("");
    })
    .join("");
}

/** The `d` of the area between an upper and a lower edge over the same x. */
export function bandPath(edges: readonly { x: number; upper: number; lower: number }[]): string {
  if (edges.length < 2) return "";
  const there = edges.map(({ x, upper }, index) => `${index === 0 ? "M" : "L"}${round(x)} ${round(upper)}`);
  const back = [...edges].reverse().map(({ x, lower }) => `L${round(x)} ${round(lower)}`);
  return `${there.join("")}${back.join("")}Z`;
}

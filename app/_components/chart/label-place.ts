const LINE_PX = 14;
const ABOVE_PX = 6;
const ASCENT_PX = 10;

/**
 * Places a label where it does not cover its curve: as close to `at` along x as the plot's edges allow, below the
 * curve, or above it if there is no room below. `at` and `width` are shares in 0..1 of the plot's width; `curve` is
 * ordered by x with y in pixels from the top, missing values null. `levelPx` is the y of a horizontal line that the
 * label must not cover either. Returns the centre of the label as a share and its baseline in pixels.
 */
export function placeLabel(
  curve: readonly { x: number; y: number | null }[],
  at: number,
  width: number,
  heightPx: number,
  levelPx: number | null = null,
): { x: number; y: number } {
  const x = Math.min(1 - width / 2, Math.max(width / 2, at));
  const from = x - width / 2;
  const to = x + width / 2;
  // A segment can cross the span without a point in it, so the points next to the span count too.
  const first = Math.max(0, curve.findIndex((point) => point.x >= from) - 1);
  const last = curve.findIndex((point) => point.x > to);
  const heights = curve
    .slice(first, last === -1 ? undefined : last + 1)
    .flatMap((point) => (point.y === null ? [] : [point.y]));
  const isOnLevel = (y: number) => levelPx !== null && levelPx > y - LINE_PX && levelPx < y + ABOVE_PX;
  const under = Math.max(...heights) + LINE_PX;
  const below = levelPx !== null && isOnLevel(under) ? levelPx + LINE_PX : under;
  if (below <= heightPx - 2) return { x, y: below };
  const over = Math.min(...heights) - ABOVE_PX;
  return { x, y: Math.max(ASCENT_PX, levelPx !== null && isOnLevel(over) ? levelPx - ABOVE_PX : over) };
}

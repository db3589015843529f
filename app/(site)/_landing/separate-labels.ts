/**
 * Places labels along a line without overlaps: each as close to its wanted place as `gap` allows, all within `from` and
 * `to`. All are pixels; the result has the order of the input.
 */
export function separateLabels(
  wishes: readonly number[],
  { gap, from, to }: { gap: number; from: number; to: number },
): number[] {
  const order = wishes.map((_, index) => index).toSorted((a, b) => (wishes[a] ?? 0) - (wishes[b] ?? 0));
  const places = [...wishes];
  let free = from;
  for (const index of order) {
    places[index] = Math.max(places[index] ?? 0, free);
    free = (places[index] ?? 0) + gap;
  }
  free = to;
  for (const index of order.toReversed()) {
    places[index] = Math.min(places[index] ?? 0, free);
    free = (places[index] ?? 0) - gap;
  }
  return places;
}

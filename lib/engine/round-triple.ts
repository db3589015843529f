/**
 * Rounds a probability triple to millionths that add up to one million: each probability is rounded down, and the
 * missing millionths go to the largest remainders (ties: the earlier class).
 *
 * @param triple three numbers of at least 0 that sum to 1 up to rounding
 */
export function roundTriple(triple: readonly [number, number, number]): [number, number, number] {
  const sum = triple[0] + triple[1] + triple[2];
  if (!(Math.abs(sum - 1) < 1e-6)) throw new RangeError("three class probabilities sum to 1");
  const exact = triple.map((p) => (p / sum) * MILLION);
  const floors = exact.map(Math.floor);
  const order = [0, 1, 2].sort((a, b) => remainder(exact, floors, b) - remainder(exact, floors, a) || a - b);
  const missing = MILLION - floors.reduce((a, b) => a + b, 0);
  for (const index of order.slice(0, missing)) floors[index] = (floors[index] ?? 0) + 1;
  const [buy = 0, sell = 0, no = 0] = floors;
  return [buy / MILLION, sell / MILLION, no / MILLION];
}

const MILLION = 1_000_000;

function remainder(exact: number[], floors: number[], index: number): number {
  return (exact[index] ?? 0) - (floors[index] ?? 0);
}

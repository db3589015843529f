import { uniformSource } from "@/lib/engine/random";

/**
 * 95 % interval of the profit factor by resampling blocks of candles, so that overlapping results stay together.
 *
 * @param results net results; @param candles index of the candle at which each began
 * @param options `blockCandles` is the length of a block in candles
 * @returns null with fewer than two blocks, or if more than 1 % of the resamples have no loss
 * @see Künsch, Annals of Statistics 17 (1989), non-overlapping variant
 */
export function profitFactorInterval(
  results: ArrayLike<number>,
  candles: ArrayLike<number>,
  options: { blockCandles: number; runs: number; seed: number },
): [number, number] | null {
  const blocks = new Map<number, { gains: number; losses: number }>();
  for (let i = 0; i < results.length; i++) {
    const key = Math.floor((candles[i] ?? 0) / options.blockCandles);
    const block = blocks.get(key) ?? { gains: 0, losses: 0 };
    const result = results[i] ?? 0;
    if (result > 0) block.gains += result;
    else block.losses -= result;
    blocks.set(key, block);
  }
  const all = [...blocks.values()];
  if (all.length < 2) return null;

  const uniform = uniformSource(options.seed);
  const factors: number[] = [];
  for (let run = 0; run < options.runs; run++) {
    let gains = 0;
    let losses = 0;
    for (let k = 0; k < all.length; k++) {
      const block = all[Math.floor(uniform() * all.length)];
      gains += block?.gains ?? 0;
      losses += block?.losses ?? 0;
    }
    if (losses > 0) factors.push(gains / losses);
  }
  if (factors.length < 0.99 * options.runs) return null;
  factors.sort((a, b) => a - b);
  const quantile = (q: number) => factors[Math.floor(q * (factors.length - 1))] ?? 0;
  return [quantile(0.025), quantile(0.975)];
}

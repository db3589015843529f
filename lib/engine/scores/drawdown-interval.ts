import { uniformSource } from "@/lib/engine/random";
import { maxDrawdown } from "./results";

/**
 * 95 % interval of the deepest fall of a running total. Blocks of candles are resampled so that overlapping
 * results stay together; each resample is as long as the original.
 *
 * @param results net results in order of time
 * @param candles index of the candle at which each began
 * @param blockCandles length of a block in candles
 * @returns null with fewer than two blocks
 * @see Künsch, Annals of Statistics 17 (1989), non-overlapping variant
 */
export function drawdownInterval(
  results: ArrayLike<number>,
  candles: ArrayLike<number>,
  options: { blockCandles: number; runs: number; seed: number },
): [number, number] | null {
  const blocks = new Map<number, number[]>();
  for (let i = 0; i < results.length; i++) {
    const key = Math.floor((candles[i] ?? 0) / options.blockCandles);
    const block = blocks.get(key) ?? [];
    block.push(results[i] ?? 0);
    blocks.set(key, block);
  }
  const all = [...blocks.values()];
  if (all.length < 2) return null;

  const uniform = uniformSource(options.seed);
  const depths = Array.from({ length: options.runs }, () =>
    maxDrawdown(all.flatMap(() => all[Math.floor(uniform() * all.length)] ?? [])),
  ).sort((a, b) => a - b);
  const quantile = (q: number) => depths[Math.floor(q * (depths.length - 1))] ?? 0;
  return [quantile(0.025), quantile(0.975)];
}

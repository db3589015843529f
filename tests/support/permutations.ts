import { uniformSource } from "@/lib/engine/random";

/** Every order of some items. */
export function permutations<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, i) => permutations(items.toSpliced(i, 1)).map((rest) => [item, ...rest]));
}

/** Every order of some items in `npm run test:machine`; otherwise at most `most` orders, the same in every run. */
export function somePermutations<T>(items: readonly T[], most: number): T[][] {
  const all = permutations(items);
  if (process.env.FULL_SIZE === "1" || all.length <= most) return all;
  const random = uniformSource(all.length);
  return Array.from({ length: most }, () => all.splice(Math.floor(random() * all.length), 1)[0]!);
}

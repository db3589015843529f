const COUNT = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** A count with grouped thousands: `1,204`. */
export const formatCount = (count: number): string => COUNT.format(count);

/** A count with its noun: `1 trade`, `1,204 trades`, `2 entries`. */
export function countWithNoun(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`;
}

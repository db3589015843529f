const COUNTS = new Intl.NumberFormat("en-US");

/** A count with grouped thousands: `1,300`. */
export const formatCount = (n: number): string => COUNTS.format(n);

/** A number with its noun: `1 day`, `1,300 days`. */
export const pluralize = (n: number, one: string, many = `${one}s`): string =>
  `${formatCount(n)} ${n === 1 ? one : many}`;

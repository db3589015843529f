/** A number with its noun: `1 day`, `2 days`. */
export const pluralize = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;

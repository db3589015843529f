/**
 * Twelve results and twelve links of a year, January first; null for a month without a closed position or without a link.
 */
export type YearRow = {
  year: number;
  months: readonly (number | null)[];
  hrefs: readonly (string | null)[];
  total: number;
};

const twelve = () => Array.from({ length: 12 }, () => null);

/** Groups results by month, such as `2026-11`, into years, newest year first. `hrefOf` makes months links. */
export function yearRows(
  results: readonly { month: string; value: number | null }[],
  hrefOf?: (month: string) => string,
): YearRow[] {
  const years = new Map<number, { months: (number | null)[]; hrefs: (string | null)[] }>();
  for (const { month, value } of results) {
    const year = Number(month.slice(0, 4));
    const row = years.get(year) ?? { months: twelve(), hrefs: twelve() };
    years.set(year, row);
    const index = Number(month.slice(5)) - 1;
    row.months[index] = value;
    if (value !== null) row.hrefs[index] = hrefOf?.(month) ?? null;
  }
  return [...years]
    .toSorted(([a], [b]) => b - a)
    .map(([year, row]) => ({
      year,
      ...row,
      total: row.months.reduce((sum: number, value) => sum + (value ?? 0), 0),
    }));
}

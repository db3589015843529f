import { MoneyText } from "@/app/_components/money-text";
import { ScrollRegion } from "@/app/_components/scroll-region";
import type { YearRow } from "./year-rows";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;

/** Results by month and year; on a phone one line per month, newest first. A month with an address is a link. */
export function MonthTable({
  caption,
  unit,
  years,
  digits = 0,
}: {
  caption: string;
  unit: string;
  years: readonly YearRow[];
  digits?: number;
}) {
  const amount = (row: YearRow, index: number) => {
    const value = row.months[index] ?? null;
    const text = <MoneyText value={value} digits={digits} mark={false} />;
    const href = row.hrefs[index];
    if (value === null || href == null) return text;
    return (
      // A plain link: with two for each month, links of the router would make the page heavy.
      <a href={href} className="-mx-1 rounded-sm px-1 py-1 hover:bg-sunken">
        {text}
        <span className="sr-only">{`, days of ${MONTHS[index]} ${row.year}`}</span>
      </a>
    );
  };
  const newestFirst = years
    .toSorted((a, b) => b.year - a.year)
    .map((row) => ({
      row,
      months: row.months
        .map((value, index) => ({ index, value }))
        .filter(({ value }) => value !== null)
        .reverse(),
    }));
  const wide = (
    <ScrollRegion label={caption}>
      <table className="w-full text-sm">
        <caption className="sr-only">
          {caption}, {unit}
        </caption>
        <thead>
          <tr className="border-b text-xs text-muted">
            <th scope="col" className="h-10 pr-3 pl-4 text-left font-medium sm:pl-6">
              Year
            </th>
            {MONTHS.map((month) => (
              <th key={month} scope="col" className="px-2 text-right font-medium">
                {month}
              </th>
            ))}
            <th scope="col" className="pr-4 pl-3 text-right font-medium sm:pr-6">
              Year, {unit}
            </th>
          </tr>
        </thead>
        <tbody className="divide-y">
          {years.map((row) => (
            <tr key={row.year}>
              <th scope="row" className="h-11 pr-3 pl-4 text-left font-medium sm:pl-6">
                {row.year}
              </th>
              {MONTHS.map((month, index) => (
                <td key={month} className="px-2 text-right">
                  {amount(row, index)}
                </td>
              ))}
              <td className="pr-4 pl-3 text-right font-semibold sm:pr-6">
                <MoneyText value={row.total} digits={digits} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
  return (
    <>
      <table className="w-full text-sm sm:hidden">
        <caption className="sr-only">
          {caption}, {unit}
        </caption>
        {newestFirst.map(({ row, months }) => (
          <tbody key={row.year} className="divide-y border-b last:border-b-0">
            <tr className="bg-sunken/50">
              <th scope="row" className="h-10 px-4 text-left font-semibold">
                {row.year}
              </th>
              <td className="px-4 text-right font-semibold">
                <MoneyText value={row.total} digits={digits} />
              </td>
            </tr>
            {months.map(({ index }) => (
              <tr key={index}>
                <th scope="row" className="h-10 px-4 text-left font-normal">
                  {MONTHS[index]}
                </th>
                <td className="px-4 text-right">{amount(row, index)}</td>
              </tr>
            ))}
          </tbody>
        ))}
      </table>
      <div className="phone:hidden">{wide}</div>
    </>
  );
}

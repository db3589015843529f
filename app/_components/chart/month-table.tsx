import { MoneyText } from "@/app/_components/money-text";
import { ScrollRegion } from "@/app/_components/scroll-region";

/** `months` holds twelve results, January first; null where nothing was closed. */
export type YearRow = { year: number; months: readonly (number | null)[]; total: number };

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;

/** Results by month and year; on a phone it scrolls in its own region. */
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
  return (
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
                  <MoneyText value={row.months[index] ?? null} digits={digits} mark={false} />
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
}

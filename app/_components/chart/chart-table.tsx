import { Table2 } from "lucide-react";
import { classNames } from "@/app/_components/class-names";
import { ScrollRegion } from "@/app/_components/scroll-region";

export type ChartTableData = { columns: readonly string[]; rows: readonly (readonly string[])[] };

/** The chart's data as a table, collapsed by default. */
export function ChartTable({
  twin,
  about,
  open,
}: {
  twin: ChartTableData;
  about: string;
  open?: boolean | undefined;
}) {
  return (
    <details open={open} className="group mt-2 text-sm">
      <summary className="inline-flex min-h-6 list-none items-center gap-1.5 rounded-sm text-muted hover:text-ink">
        <Table2 aria-hidden="true" className="size-3.5" />
        <span className="group-open:hidden">Show the table</span>
        <span className="hidden group-open:inline">Hide the table</span>
      </summary>
      <ScrollRegion label={`Table: ${about}`} className="mt-2 max-h-80 overflow-y-auto rounded-md border">
        <table className="w-full text-xs">
          <caption className="sr-only">{about}</caption>
          <thead>
            <tr>
              {twin.columns.map((column, index) => (
                <th
                  key={column}
                  scope="col"
                  className={classNames(
                    "sticky top-0 border-b bg-raised px-3 py-2 font-medium whitespace-nowrap text-muted",
                    index === 0 ? "text-left" : "text-right",
                  )}
                >
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y">
            {twin.rows.map((row) => (
              <tr key={row[0]}>
                {row.map((value, index) =>
                  index === 0 ? (
                    <th
                      key={twin.columns[index]}
                      scope="row"
                      className="px-3 py-1.5 text-left font-normal whitespace-nowrap"
                    >
                      {value}
                    </th>
                  ) : (
                    <td key={twin.columns[index]} className="px-3 py-1.5 text-right whitespace-nowrap">
                      {value}
                    </td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </details>
  );
}

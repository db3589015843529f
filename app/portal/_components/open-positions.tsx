import { DirectionMark } from "@/app/_components/direction-mark";
import { formatNumber } from "@/app/_components/figures";
import { Link } from "@/app/_components/link";
import type { Execution } from "@/db/queries/executions";
import { priceDigits } from "@/lib/market/price-digits";
import { paths } from "@/lib/paths";
import { Ago } from "./ea-state";

/** Positions that are open, newest first, each with the way to its page. */
export function OpenPositions({
  rows,
  digits,
}: {
  rows: readonly Execution[];
  /** Decimal places of a symbol's prices. */
  digits: ReadonlyMap<string, number>;
}) {
  return (
    <ul className="divide-y">
      {rows.map((row) => (
        <li key={row.executionId}>
          <Link
            href={paths.portalPosition(row.executionId)}
            className="flex min-h-14 flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2 hover:bg-sunken/60 sm:px-6"
          >
            <span className="min-w-28 font-medium">
              {row.symbol} <span className="font-normal text-muted">{row.timeframe}</span>
            </span>
            <DirectionMark direction={row.signal} />
            <span className="ml-auto text-right text-sm tabular-nums">
              {row.entryPrice === null
                ? "–"
                : formatNumber(
                    Number(row.entryPrice),
                    priceDigits(digits.get(row.symbol) ?? 5, [Number(row.entryPrice)]),
                  )}
              <span className="block text-xs text-faint">
                opened <Ago at={row.openedAt.toISOString()} />
              </span>
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

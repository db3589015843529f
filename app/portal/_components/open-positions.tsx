import { DirectionMark } from "@/app/_components/direction-mark";
import { formatNumber } from "@/app/_components/figures";
import { Link } from "@/app/_components/link";
import { MoneyText } from "@/app/_components/money-text";
import type { Execution } from "@/db/queries/executions";
import type { Standing } from "@/lib/executions/standings";
import { priceDigits } from "@/lib/market/price-digits";
import { paths } from "@/lib/paths";
import { Ago } from "./ea-state";

/** Open positions, newest first, each with its open result and a link. */
export function OpenPositions({
  rows,
  standings,
  digits,
}: {
  rows: readonly Execution[];
  standings: ReadonlyMap<number, Standing>;
  /** Decimal places of a symbol's prices. */
  digits: ReadonlyMap<string, number>;
}) {
  return (
    <ul className="divide-y">
      {rows.map((row) => {
        const standing = standings.get(row.executionId);
        const price = (value: number | null) =>
          value === null
            ? "–"
            : formatNumber(value, priceDigits(digits.get(row.symbol) ?? 5, [Number(row.entryPrice)]));
        return (
          <li key={row.executionId}>
            <Link
              href={paths.portalPosition(row.executionId)}
              className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 px-4 py-2.5 text-sm hover:bg-sunken/60 sm:px-6"
            >
              <span className="flex min-w-0 flex-wrap items-center gap-x-3">
                <span className="font-medium">
                  {row.symbol} <span className="font-normal text-muted">{row.timeframe}</span>
                </span>
                <DirectionMark direction={row.signal} />
              </span>
              <span className="text-right font-medium">
                {standing?.r == null ? (
                  <MoneyText value={standing?.money ?? null} />
                ) : (
                  <MoneyText value={standing.r} unit="R" />
                )}
              </span>
              <span className="text-xs text-faint tabular-nums">
                {price(row.entryPrice === null ? null : Number(row.entryPrice))}
                {standing?.market && ` → ${price(standing.market.price)}`}
              </span>
              <span className="text-right text-xs text-faint tabular-nums">
                {standing?.r != null && standing.money !== null ? (
                  <MoneyText value={standing.money} mark={false} />
                ) : (
                  <Ago at={row.openedAt.toISOString()} />
                )}
              </span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

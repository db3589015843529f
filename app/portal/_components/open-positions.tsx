import { DirectionMark } from "@/app/_components/direction-mark";
import { formatNumber } from "@/app/_components/figures";
import { MoneyText } from "@/app/_components/money-text";
import type { Execution } from "@/db/queries/executions";
import type { PositionValue } from "@/lib/executions/value-positions";
import { priceDigits } from "@/lib/market/price-digits";
import { paths } from "@/lib/paths";
import { LiveTimeAgo } from "./live";

/** Open positions, newest first, each with its open result and a link. */
export function OpenPositions({
  rows,
  values,
  digits,
}: {
  rows: readonly Execution[];
  values: ReadonlyMap<number, PositionValue>;
  /** Decimal places of a symbol's prices. */
  digits: ReadonlyMap<string, number>;
}) {
  return (
    <ul className="divide-y">
      {rows.map((row) => {
        const value = values.get(row.executionId);
        const price = (value: number | null) =>
          value === null
            ? "–"
            : formatNumber(value, priceDigits(digits.get(row.symbol) ?? 5, [Number(row.entryPrice)]));
        return (
          <li key={row.executionId}>
            <a
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
                {value?.r == null ? (
                  <MoneyText value={value?.money ?? null} />
                ) : (
                  <MoneyText value={value.r} unit="R" />
                )}
              </span>
              <span className="text-xs text-faint tabular-nums">
                {price(row.entryPrice === null ? null : Number(row.entryPrice))}
                {value?.market && ` → ${price(value.market.price)}`}
              </span>
              <span className="text-right text-xs text-faint tabular-nums">
                {value?.r != null && value.money !== null ? (
                  <MoneyText value={value.money} mark={false} />
                ) : (
                  <LiveTimeAgo at={row.openedAt} />
                )}
              </span>
            </a>
          </li>
        );
      })}
    </ul>
  );
}

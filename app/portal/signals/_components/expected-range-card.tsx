import { Card } from "@/app/_components/card";
import { type Column, DataTable } from "@/app/_components/data-table";
import { countWithNoun, formatNumber, formatShare, rateDigits } from "@/app/_components/figures";
import { priceDigits } from "@/lib/market/price-digits";
import type { RangeCoverageRow } from "@/lib/signals/quality/range-coverage";
import type { SignalRange } from "@/lib/signals/signal-range";

interface Row {
  way: string;
  distances: SignalRange["either"];
  /** Converts a distance to a price; null if the range has two sides. */
  priceAt: ((distance: number) => number) | null;
}

/** The expected range after a slot's newest signal, as distances and as prices. */
export function ExpectedRangeCard({
  slot,
  range,
  coverage,
  days,
  digits: symbolDigits,
}: {
  slot: { symbol: string; timeframe: string };
  range: SignalRange;
  coverage: RangeCoverageRow | null;
  /** Days of the coverage figure. */
  days: number;
  digits: number;
}) {
  const { close, horizon_candles: candles } = range;
  const digits = priceDigits(symbolDigits, [close]);
  const distance = (key: keyof Row["distances"], header: string): Column<Row> => ({
    key,
    header,
    align: "right",
    cell: ({ distances, priceAt }) => (
      <span className="tabular-nums">
        {formatNumber(distances[key], digits)}
        {priceAt && <span className="ml-2 text-muted">{formatNumber(priceAt(distances[key]), digits)}</span>}
      </span>
    ),
  });
  return (
    <Card
      title="Expected move"
      lead={`From the close of ${formatNumber(close, digits)}, within the next ${candles} candles. The remaining moves are larger.`}
      flush
    >
      <DataTable
        caption={`Expected move of ${slot.symbol} ${slot.timeframe}`}
        columns={[
          { key: "way", header: "Move", primary: true, cell: ({ way }) => way },
          distance("p10", "1 in 10 stays within"),
          distance("p50", "Half stay within"),
          distance("p80", "8 in 10 stay within"),
          distance("p90", "9 in 10 stay within"),
        ]}
        rows={[
          { way: "Up", distances: range.up, priceAt: (by) => close + by },
          { way: "Down", distances: range.down, priceAt: (by) => close - by },
          { way: "Either way", distances: range.either, priceAt: null },
        ]}
        rowKey={({ way }) => way}
        footer={
          <p className="text-sm text-muted">
            {coverage === null
              ? `Accuracy, last ${days} days: no range is complete yet.`
              : `Accuracy, last ${days} days: ${formatShare(coverage.between_p10_p90, rateDigits(coverage.n))} of ${countWithNoun(coverage.n, "move")} ended between the 1 in 10 and the 9 in 10 distance (95 % CI ${formatShare(coverage.between_ci95[0])} to ${formatShare(coverage.between_ci95[1])}). Target: 80 %.`}
          </p>
        }
      />
    </Card>
  );
}

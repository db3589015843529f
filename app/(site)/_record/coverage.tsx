import { Card } from "@/app/_components/card";
import { countWithNoun, formatNumber } from "@/app/_components/figures";
import { Stat, StatRow } from "@/app/_components/stat";
import { formatDay } from "@/app/_components/times";
import type { RecordCoverage } from "@/lib/wire/contracts/record";

const MINUTES_PER_HOUR = 60;
const MINUTES_PER_DAY = 1_440;

/** A length of time in its largest fitting unit. */
function formatLength(minutes: number): string {
  if (minutes < 2 * MINUTES_PER_HOUR) return `${formatNumber(minutes, 0)} min`;
  if (minutes < 2 * MINUTES_PER_DAY) return `${formatNumber(minutes / MINUTES_PER_HOUR, 0)} h`;
  return `${formatNumber(minutes / MINUTES_PER_DAY, 0)} days`;
}

/** How many closed candles have a signal in time, and why others have none. Renders nothing before the first candle. */
export function CoverageCard({ coverage }: { coverage: RecordCoverage }) {
  const { since, n_candles: n, n_in_time: inTime, n_slow: slow, n_late: late, n_paused: paused } = coverage;
  if (since === null) return null;
  const missing = n - inTime - late - paused;
  return (
    <Card
      title="Coverage"
      lead={`Share of candles since ${formatDay(since)} with a signal that was committed in time, regardless of the filters above.`}
    >
      <StatRow columns={4} label="Coverage">
        <Stat
          label="Committed in time"
          value={coverage.pct === null ? "–" : formatNumber(coverage.pct, 1)}
          {...(coverage.pct !== null && { unit: "%" })}
          note={`${formatNumber(inTime)} of ${countWithNoun(n, "candle")}${slow > 0 ? `, ${formatNumber(slow)} of them slow` : ""}`}
          hint="The signal was sealed in the ledger before the next candle closed, by the service's clock. Slow: more than a tenth of a candle after the close. Results count from the close, so a part of the result could already be known when such a signal was made."
        />
        <Stat
          label="Late"
          value={formatNumber(late)}
          {...(coverage.mean_late_minutes !== null && {
            note: `${formatLength(coverage.mean_late_minutes)} after the close on average`,
          })}
          hint="Candles whose signal was sealed too late. Their results are not counted in the record."
        />
        <Stat
          label="Paused"
          value={formatNumber(paused)}
          hint="Candles without a signal that closed during a pause by the operator."
        />
        <Stat
          label="No signal"
          value={formatNumber(missing)}
          hint="Candles without any signal. A seller who publishes only winners has many of them."
        />
      </StatRow>
      <p className="mt-4 text-sm text-muted">
        Missing candles: {formatNumber(coverage.n_missing_candles)}. A candle counts as missing when the
        market was open and nobody sent its prices within a week; in a quiet minute there may have been none.
        Results are judged by the candles that exist, so a missing one can hide a loss.
      </p>
    </Card>
  );
}

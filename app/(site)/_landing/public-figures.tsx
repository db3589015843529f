import { formatNumber } from "@/app/_components/figures";
import { Stat, StatRow } from "@/app/_components/stat";
import { formatDay } from "@/app/_components/times";
import { Timestamp } from "@/app/_components/timestamp";
import { minutesBetween } from "@/lib/time";
import type { PublicStats } from "@/lib/wire/contracts/public-stats";

/** The figures of `GET /api/public/stats` with the time at which they were computed. */
export function PublicFiguresRow({
  figures,
  at,
  uptimeSince,
}: {
  figures: PublicStats;
  at: Date;
  /** The first minute with an uptime measurement; null before any. */
  uptimeSince: Date | null;
}) {
  const uptime = uptimeOf(uptimeSince, at);
  return (
    <div>
      <StatRow columns={uptime ? 5 : 4} label="Figures of the service">
        <Stat
          label="Active models"
          value={formatNumber(figures.active_models)}
          hint="Slots with a model in use: one per symbol and timeframe."
        />
        <Stat
          label="Signals, 24 h"
          value={formatNumber(figures.total_signals_24h)}
          hint="Signals whose candle closed in the last 24 hours, NO TRADE included."
        />
        <Stat
          label="Buy or sell, 24 h"
          value={formatNumber(figures.directional_signals_24h)}
          hint="Signals of the last 24 hours that say BUY or SELL."
        />
        <Stat
          label="Symbols"
          value={formatNumber(figures.monitored_pairs)}
          hint="Symbols with at least one model in use."
        />
        {uptime && (
          <Stat
            label="Uptime, 30 days"
            value={formatNumber(figures.uptime_pct_30d, 2)}
            unit="%"
            note={uptime.note}
            hint="Minutes not down as a share of all minutes since the first check. A minute without a check counts as down."
          />
        )}
      </StatRow>
      <p className="mt-3 text-xs text-faint">
        As of <Timestamp at={at} />, from{" "}
        <code className="font-mono whitespace-nowrap">GET /api/public/stats</code>
      </p>
    </div>
  );
}

const SHOWN_DAYS = 30;
const MINUTES_PER_DAY = 1_440;

/**
 * Whether and how to show the uptime: null during the first day of measurement, later with a note that names its first
 * day, and without a note once the measurement covers all 30 days.
 */
function uptimeOf(since: Date | null, at: Date): { note: string | undefined } | null {
  if (since === null) return null;
  const days = minutesBetween(since, at) / MINUTES_PER_DAY;
  if (days < 1) return null;
  return { note: days >= SHOWN_DAYS - 1 ? undefined : `since ${formatDay(since)}` };
}

import type { z } from "zod";
import { db } from "@/db/client";
import { countRangeCoverage, type RangeCoverage as RangeCounts } from "@/db/queries/ranges";
import type { SlotScope } from "@/db/queries/slots";
import { OUTCOME_RULE } from "@/lib/engine/outcome";
import { wilsonInterval } from "@/lib/engine/scores/wilson-interval";
import { compareSlots } from "@/lib/market/slot-order";
import { addDays } from "@/lib/time";
import type { RangeCoverage } from "@/lib/wire/contracts/quality";
import { roundFigure } from "@/lib/wire/round";

export type RangeCoverageRow = z.output<typeof RangeCoverage>;

/** For each slot in scope: how often prices stayed within the forecast ranges of the last `days` days. */
export async function readRangeCoverage(
  scope: SlotScope,
  days: number,
  now: Date,
): Promise<RangeCoverageRow[]> {
  const rows = await countRangeCoverage(db("heavy"), { scope, since: addDays(now, -days) });
  return rows.toSorted(compareSlots).map(coverageOf);
}

function coverageOf(row: RangeCounts): RangeCoverageRow {
  const { n } = row;
  const shares = ([p10 = 0, p50 = 0, p80 = 0, p90 = 0]: number[]) => ({
    p10: roundFigure(p10 / n),
    p50: roundFigure(p50 / n),
    p80: roundFigure(p80 / n),
    p90: roundFigure(p90 / n),
  });
  const between = row.between / n;
  // Neighbouring horizons overlap, so only one in 12 counts as independent.
  const [low, high] = wilsonInterval(between, n / OUTCOME_RULE.horizonCandles);
  return {
    symbol: row.symbol,
    tf_code: row.timeframe,
    n,
    between_p10_p90: roundFigure(between),
    between_ci95: [roundFigure(low), roundFigure(high)],
    either: shares(row.either),
    up: shares(row.up),
    down: shares(row.down),
  };
}

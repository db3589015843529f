/**
 * `npm run produce -- [--since DATE] [--threshold=R]`: makes the baseline the champion of every slot that has candles,
 * no champion and no forecaster chosen by the operator, unless built-in models are switched off. Records the baseline's
 * signals for the candles since DATE (default: all after the newest signal), and writes the outcomes of all slots whose
 * horizon has ended. Signals of old candles are a backtest: they are marked as such and excluded from everything live.
 *
 * A lowered threshold gives more directions than the evidence supports: for testing, never for trading.
 */
import { workerDb } from "@/db/client";
import { readClock } from "@/db/queries/clock";
import { countSignals } from "@/db/queries/signals";
import { listSignalProductionStates, listSlotStates } from "@/db/queries/slots";
import { BASELINE_VERSION } from "@/lib/engine/baseline";
import { recordBaselineSignals } from "@/lib/models/producer/record-baseline-signals";
import { makeBaselineChampion } from "@/lib/models/producer/register-baseline";
import { resolveOutcomes } from "@/lib/signals/outcomes/resolve-outcomes";
import { exitWithUsage, readCommandLine, readDate } from "./command-line";
import { withDatabase } from "./with-database";

const USAGE = "npm run produce -- [--since 2023-01-01[T00:00:00Z]] [--threshold=-0.5]";

const { values } = readCommandLine(USAGE, {
  options: { since: { type: "string" }, threshold: { type: "string" } },
});
const since = values.since === undefined ? null : readDate(values.since);
const thresholdR = values.threshold === undefined ? undefined : Number(values.threshold);
if ((values.since !== undefined && !since) || (thresholdR !== undefined && !Number.isFinite(thresholdR)))
  exitWithUsage(USAGE);

await withDatabase(async () => {
  const database = workerDb();
  const withCandles = (await listSlotStates(database)).filter((slot) => slot.lastCandleTs !== null);
  await makeBaselineChampion(
    database,
    withCandles.map((slot) => slot.slotId),
    new Date(),
  );
  const now = await readClock(database);
  for (const slot of await listSignalProductionStates(database)) {
    if (slot.modelV !== BASELINE_VERSION) continue;
    const after = since ? new Date(since.getTime() - 1) : slot.lastMadeTs;
    const startedAt = performance.now();
    const recorded = await recordBaselineSignals(
      database,
      slot,
      { after, now },
      thresholdR === undefined ? {} : { thresholdR },
    );
    const counts = await countSignals(database, slot.slotId);
    process.stdout.write(
      `${slot.symbol}/${slot.timeframe}: ${recorded} recorded in ${((performance.now() - startedAt) / 1000).toFixed(1)} s; in all ${counts.buy} BUY, ${counts.sell} SELL, ${counts.noTrade} NO_TRADE\n`,
    );
  }
  const startedAt = performance.now();
  const resolved = await resolveOutcomes(database);
  process.stdout.write(`${resolved} outcomes in ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
});

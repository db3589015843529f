import { setImmediate } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import type { z } from "zod";
import { type ForecastColumns, listNewestForecasts } from "@/db/queries/track-record";
import { readAtReplica } from "@/db/replica";
import { compareSlots } from "@/lib/market/slot-order";
import { groupBy } from "@/lib/runtime/group-by";
import { processWide } from "@/lib/runtime/process-wide";
import type { SlotCalibration } from "@/lib/wire/contracts/quality";
import { slotCalibrationOf } from "./slot-calibration";

/** Maximum number of forecasts per slot. With this many, the error by chance is small; more would only take longer. */
export const MAX_JUDGED_FORECASTS = 5_000;
/** Maximum number of cached rows: those of an installation's slots for several windows and numbers of bins. */
const MAX_CACHED = 1_000;
/** Slots per statement: all of a large installation would exceed the statement timeout. */
const SLOTS_PER_STATEMENT = 6;

type SlotRow = z.output<typeof SlotCalibration>;

/** Rows by slot, bins and the revision of their forecasts; null: the newest resolved signals are all backfilled. */
const cachedRows = () =>
  processWide("slot-calibrations", () => new LRUCache<string, { row: SlotRow | null }>({ max: MAX_CACHED }));

/**
 * One row per slot with a resolved live forecast since `since`, from its newest such forecasts, in the slots' order.
 * `revisions`: by slot, a text that changes whenever these forecasts or the slot's models change. Rows of slots whose text
 * is the same are kept.
 */
export async function readSlotCalibrations(
  revisions: ReadonlyMap<number, string>,
  { since, bins }: { since: Date; bins: number },
): Promise<SlotRow[]> {
  const window = { since, limit: MAX_JUDGED_FORECASTS };
  const cache = cachedRows();
  const rows: SlotRow[] = [];
  const changed: { slotId: number; key: string }[] = [];
  for (const [slotId, revision] of revisions) {
    const key = `${slotId}/${bins}/${revision}`;
    const found = cache.get(key);
    if (found === undefined) changed.push({ slotId, key });
    else if (found.row !== null) rows.push(found.row);
  }
  for (let from = 0; from < changed.length; from += SLOTS_PER_STATEMENT) {
    const read = changed.slice(from, from + SLOTS_PER_STATEMENT);
    const slotIds = read.map(({ slotId }) => slotId);
    const forecasts = await readAtReplica((database) =>
      listNewestForecasts(database, { slotIds, ...window }),
    );
    const ofSlots = groupBy(forecasts, ({ slotId }) => slotId);
    for (const { slotId, key } of read) {
      const row = calibrateSlot(ofSlots.get(slotId) ?? [], bins);
      cache.set(key, { row });
      if (row !== null) rows.push(row);
      // A simulation takes tens of milliseconds: lets waiting requests run first.
      await setImmediate();
    }
  }
  return rows.toSorted((a, b) => compareSlots(slotOf(a), slotOf(b)));
}

function calibrateSlot(ofSlot: ForecastColumns[], bins: number): SlotRow | null {
  const [first, ...others] = ofSlot.toSorted((a, b) => (a.modelV < b.modelV ? -1 : 1));
  return first === undefined ? null : slotCalibrationOf([first, ...others], bins);
}

const slotOf = (row: SlotRow) => ({ symbol: row.symbol, timeframe: row.tf_code });

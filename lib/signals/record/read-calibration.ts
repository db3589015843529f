import { readLedgerState } from "@/db/queries/ledger";
import { listRecordSlots, sumBins, sumDays } from "@/db/queries/record";
import { bySlot } from "@/lib/market/slot-order";
import type { PublicCalibration, RecordQuery } from "@/lib/wire/contracts/record";
import { N_BINS } from "./contribution";
import { qualitiesOf } from "./figures";
import { isSimulated } from "./is-simulated";
import { inOneSnapshot, selectionOf } from "./selection";

/** How well the probabilities of each slot fit what happened, beside those of both bots. */
export async function readRecordCalibration(query: RecordQuery): Promise<PublicCalibration> {
  return inOneSnapshot(async (tx) => {
    const slots = await listRecordSlots(tx);
    const selection = await selectionOf(tx, query, slots);
    const { size } = await readLedgerState(tx);
    const [days, bins] = [await sumDays(tx, selection), await sumBins(tx, selection)];
    const items = slots
      .filter(({ slotId }) => days.some((row) => row.slotId === slotId))
      .toSorted(bySlot)
      .map((slot) => ({
        symbol: slot.symbol,
        tf_code: slot.timeframe,
        simulated: isSimulated(slot),
        ...qualitiesOf(
          days.filter((row) => row.slotId === slot.slotId),
          bins.filter((row) => row.slotId === slot.slotId),
        ),
      }));
    return {
      ledger_size: size,
      simulated: items.some(({ simulated }) => simulated),
      from: query.from ?? null,
      to: query.to ?? null,
      n_bins: N_BINS,
      total: qualitiesOf(days, bins),
      count: items.length,
      items,
    };
  });
}

import { compareSlots } from "@/lib/market/slot-order";
import type { PublicCalibration, RecordQuery } from "@/lib/wire/contracts/record";
import { forecasterQualities } from "./figures";
import { isSimulated } from "./is-simulated";
import { type LoadedRecord, readRecordSnapshot } from "./record-cache";
import { demonstrationNotice } from "./record-rule";
import { N_BINS } from "./score";
import { sumSlotRecords } from "./sums";

/** Calibration of the model, the coin and the class frequencies, for each selected slot and in total. */
export async function readRecordCalibration(query: RecordQuery): Promise<PublicCalibration> {
  return readRecordSnapshot(query, async (now) => recordCalibrationOf(query, now));
}

/** The calibration in an already loaded record, as the API returns it. */
export function recordCalibrationOf(
  query: RecordQuery,
  { ledgerSize, slots, selection, records }: LoadedRecord,
): PublicCalibration {
  const shown = slots.toSorted(compareSlots).flatMap((slot) => {
    const record = records.get(slot.slotId)?.narrowed(selection);
    return record && record.days.length > 0 ? [{ slot, record }] : [];
  });
  const items = shown.map(({ slot, record }) => ({
    symbol: slot.symbol,
    tf_code: slot.timeframe,
    simulated: isSimulated(slot),
    ...record.qualities,
  }));
  return {
    ledger_size: ledgerSize,
    simulated: items.some(({ simulated }) => simulated),
    notice: demonstrationNotice(),
    from: query.from ?? null,
    to: query.to ?? null,
    n_bins: N_BINS,
    total: forecasterQualities(sumSlotRecords(shown.map(({ record }) => record.sums))),
    count: items.length,
    items,
  };
}

import type { PublicCalibration, PublicRecord, RecordQuery } from "@/lib/wire/contracts/record";
import { recordCalibrationOf } from "./read-calibration";
import { readLoadedRecord } from "./read-record";
import { readRecordSnapshot } from "./record-cache";

/** Data of the page about one slot, all from one snapshot of the database. */
export interface SlotPageData {
  record: PublicRecord;
  calibration: PublicCalibration;
  /**
   * Promotions of the slot's models after its first one, newest first, whatever model and period the query names. The
   * first one changes nothing.
   */
  changedAt: Date[];
}

/**
 * Record, calibration and promotions of one slot, read from one snapshot of the database. Throws 404 for an unknown
 * slot or model.
 */
export async function readSlotPage(query: RecordQuery): Promise<SlotPageData> {
  return readRecordSnapshot(query, async (now, snapshot) => {
    const record = await readLoadedRecord(query, now, snapshot);
    const promotions = (await snapshot.modelEntries()).filter(
      ({ kind, slotId }) => kind === "promotion" && now.selection.slotIds?.includes(slotId),
    );
    return {
      record,
      calibration: recordCalibrationOf(query, now),
      changedAt: promotions
        .map(({ at }) => at)
        .toSorted((a, b) => b.getTime() - a.getTime())
        .slice(0, -1),
    };
  });
}

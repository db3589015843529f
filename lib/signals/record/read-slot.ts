import type { PublicCalibration, PublicRecord, RecordQuery } from "@/lib/wire/contracts/record";
import { atLedger } from "./kept-record";
import { calibrationOf } from "./read-calibration";
import { recordOf } from "./read-record";

/** What a page about one slot says, of one size of the ledger. */
export interface SlotReading {
  record: PublicRecord;
  calibration: PublicCalibration;
  /** When a model of the slot came into force, newest first, whatever period or model the question is narrowed to. */
  promotedAt: Date[];
}

/**
 * Record, calibration and promotions of one slot in one reading: what they have in common is read and added up once. Throws
 * 404 for a slot or model that is not known.
 */
export async function readSlot(query: RecordQuery): Promise<SlotReading> {
  return atLedger(query, async (now, snapshot) => {
    const record = await recordOf(query, now, snapshot);
    const promotions = (await snapshot.modelEntries()).filter(
      ({ kind, slotId }) => kind === "promotion" && now.selection.slotIds?.includes(slotId),
    );
    return {
      record,
      calibration: calibrationOf(query, now),
      promotedAt: promotions.map(({ at }) => at).toSorted((a, b) => b.getTime() - a.getTime()),
    };
  });
}

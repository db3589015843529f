import type { PublicCalibration, RecordQuery } from "@/lib/wire/contracts/record";

/** How well the probabilities of each slot fit what happened, beside those of both bots. */
export async function readRecordCalibration(_query: RecordQuery): Promise<PublicCalibration> {
  throw new Error("not there yet");
}

import type { PublicRecord, RecordQuery } from "@/lib/wire/contracts/record";

/** The record of every slot, or of what the query selects. A slot or model that is not known is 404. */
export async function readRecord(_query: RecordQuery): Promise<PublicRecord> {
  throw new Error("not there yet");
}

import { env } from "@/lib/runtime/env";

/** Whether the operator shows the record to everyone (`PUBLIC_RECORD`). */
export const isRecordPublic = (): boolean => env().publicRecord;

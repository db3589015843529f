/** `accepted`: new or changed items; `duplicates`: items that were stored before or repeated in the call. */
export interface IngestResult {
  accepted: number;
  duplicates: number;
  /** Symbols of the call whose trading hours are a guess; missing if there are none. */
  withoutCalendar?: string[];
}

/**
 * `accepted`: items that were new or changed; `duplicates`: items that were stored already, or twice in the same call.
 */
export interface IngestResult {
  accepted: number;
  duplicates: number;
  /** Symbols of the call whose trading hours are a guess; missing where there is none. */
  withoutCalendar?: string[];
}

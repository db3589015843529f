/**
 * `accepted`: items that were new or changed; `duplicates`: items that were stored already, or twice in the same call.
 */
export interface IngestResult {
  accepted: number;
  duplicates: number;
  /** What the sender should look at; missing where there is nothing. */
  warnings?: string[];
}

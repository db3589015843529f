/** `accepted` new or changed things; `duplicates` were there already, or twice in the same call. */
export interface IngestResult {
  accepted: number;
  duplicates: number;
}

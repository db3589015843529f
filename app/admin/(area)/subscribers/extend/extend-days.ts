/** Days by which a list can be extended. */
export const EXTEND_DAYS = ["1", "3", "7", "14", "31"] as const;

/** Days by which a list can be extended. */
export const EXTENSION_DAY_CHOICES = ["1", "3", "7", "14", "31"] as const;

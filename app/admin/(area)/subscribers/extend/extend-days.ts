/** Numbers of days by which the access of all subscribers in a list can be extended. */
export const EXTENSION_DAY_CHOICES = ["1", "3", "7", "14", "31"] as const;

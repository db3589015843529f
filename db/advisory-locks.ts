/**
 * Ids of all advisory locks of the service, listed together because they share the database's one number space.
 * `ADVISORY_LOCK_NAMESPACES` are hash seeds: the id of such a lock is the hash of a text, such as an invoice id.
 */
export const ADVISORY_LOCKS = {
  migration: 7_310_001,
  models: 7_310_002,
  worker: 7_310_003,
  incidents: 7_310_004,
  settings: 7_310_005,
} as const;

export const ADVISORY_LOCK_NAMESPACES = {
  invoice: 7_310_010,
  buyer: 7_310_011,
  signInLink: 7_310_012,
} as const;

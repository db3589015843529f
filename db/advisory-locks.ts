/** Ids of PostgreSQL advisory locks. All advisory locks with a single 64-bit id share one number space per database. */
export const ADVISORY_LOCKS = {
  migration: 7_310_001,
  models: 7_310_002,
  worker: 7_310_003,
  incidents: 7_310_004,
  settings: 7_310_005,
} as const;

/** Hash seeds of advisory locks on a text, such as an invoice id: the lock's id is the hash of the text with this seed. */
export const ADVISORY_LOCK_NAMESPACES = {
  invoice: 7_310_010,
  buyer: 7_310_011,
  signInLink: 7_310_012,
} as const;

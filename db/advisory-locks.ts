/**
 * Every advisory lock of the service. They share one number space of the database, so they are listed together.
 * `ADVISORY_LOCK_NAMESPACES` are seeds for hashing texts, one lock per text.
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

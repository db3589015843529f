/**
 * Every advisory lock of the service, so that no two meet: they share one space of numbers in the database.
 * `NAMESPACES` are seeds under which texts are hashed, one lock for each text.
 */
export const LOCKS = {
  migration: 7_310_001,
  models: 7_310_002,
  worker: 7_310_003,
  incidents: 7_310_004,
  settings: 7_310_005,
} as const;

export const NAMESPACES = { invoice: 7_310_010, buyer: 7_310_011, signInLink: 7_310_012 } as const;

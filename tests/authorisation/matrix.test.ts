import { afterAll, beforeAll, expect, it } from "vitest";
import { createDatabase } from "@/tests/support/database";
import { TEST_SEED } from "@/tests/support/run-named";
import { runMatrix, unmatchedRoutes } from "./matrix";

let database: Awaited<ReturnType<typeof createDatabase>>;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

it("the access table lists every route of the page tree and of the OpenAPI document, and no other", () => {
  expect(unmatchedRoutes()).toEqual({ missing: [], stale: [] });
});

// For all callers in all spellings run: npm run fuzz -- authorisation.
it("routes answer the callers as in the access table, at the plain address and at drawn spellings of the address", {
  timeout: 300_000,
}, async () => {
  const seed = TEST_SEED;
  const report = await runMatrix(database.url, { seed, complete: false });
  expect(report.failures, `seed ${seed}`).toEqual([]);
  expect(report.routes).toBeGreaterThan(100);
  expect(report.requests).toBeGreaterThan(2_000);
});

import { expect, it } from "vitest";
import { TEST_SEED } from "@/tests/support/run-named";
import { runParsers } from "./parsers";

// For more inputs: npm run fuzz -- parsers.
it("every parser either fails with its own error or reads back what it writes", async () => {
  const counts = await runParsers({ seed: TEST_SEED, inputs: 400, maxMs: 15_000 });
  expect(counts.size).toBeGreaterThan(12);
  for (const [name, n] of counts) expect(n, name).toBeGreaterThan(10);
});

import { expect, it } from "vitest";
import { drawSeed } from "@/tests/support/run-named";
import { runParsers } from "./parsers";

// More inputs: npm run fuzz -- parsers.
it("no parser fails on any input but with the error that belongs to it, and each reads its own writing", async () => {
  const counts = await runParsers({ seed: drawSeed(), inputs: 400, mostMs: 15_000 });
  expect(counts.size).toBeGreaterThan(12);
  for (const [name, n] of counts) expect(n, name).toBeGreaterThan(10);
});

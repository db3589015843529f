import { expect, it } from "vitest";
import { TEST_SEED } from "@/tests/support/run-named";
import { runRequests } from "./requests";

// For more requests: npm run fuzz -- requests.
it("no random or hostile request causes a 5xx, leaks a secret or stays unanswered", async () => {
  const lines = await runRequests({
    seed: TEST_SEED,
    mostMs: 8_000,
    mostRequests: 5_000,
    isPatient: true,
    withMarket: false,
  });
  expect(lines.join("\n")).toContain("no 5xx");
}, 180_000);

import { expect, it } from "vitest";
import { drawSeed } from "@/tests/support/run-named";
import { runRequests } from "./requests";

// More of them: npm run fuzz -- requests.
it("no random or hostile request to the built server ends in 5xx, tells a secret or goes unanswered", async () => {
  const lines = await runRequests({
    seed: drawSeed(),
    mostMs: 8_000,
    mostRequests: 5_000,
    isPatient: true,
    withMarket: false,
  });
  expect(lines.join("\n")).toContain("no 5xx");
}, 180_000);

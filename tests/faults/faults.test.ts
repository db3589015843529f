import { expect, it } from "vitest";
import { drawSeed } from "@/tests/support/run-named";
import { onStage } from "./stage";

// Longer, and every other fault: npm run faults.
it("reports and payments outlive resets of every connection to the database: none is lost or doubled", async () => {
  const options = { seed: drawSeed(), minutes: null, rounds: 2, requests: null, samples: null };
  const lines = await onStage(options, { isPatient: true }, async (stage) => {
    await stage.begin();
    await stage.repeat(2, async () => {
      for (const proxy of stage.proxies) proxy.reset();
    });
    return stage.judge("resets");
  });
  expect(lines.join("\n")).toContain("0 lost, 0 doubled, no mail stuck");
});

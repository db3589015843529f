import { expect, it } from "vitest";
import { runBaselineNull } from "@/tests/support/baseline-null";

const WALKS = 60;

it("the baseline gives a direction on at most 3 % of driftless walks within three years", async () => {
  const { walks, directed } = await runBaselineNull(WALKS);
  console.info(
    `baseline: a direction on ${directed.length} of ${walks} walks without an edge: ${directed.join("; ")}`,
  );
  expect(directed.length / walks).toBeLessThanOrEqual(0.03);
}, 600_000);

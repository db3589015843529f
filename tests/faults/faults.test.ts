import { expect, it } from "vitest";
import { TEST_SEED } from "@/tests/support/run-named";
import { killStreams } from "./streams";
import { withTestBed } from "./test-bed";

/** Timeout that allows for a mail whose sending was interrupted: it is sent again after its lease of one minute. */
const WITH_A_LEASE_MS = 180_000;

// For longer runs and other faults: npm run faults.
const short = (rounds: number) => ({
  seed: TEST_SEED,
  minutes: null,
  rounds,
  requests: null,
  samples: null,
});

it(
  "reports and payments survive resets of every database connection without loss or duplicates",
  async () => {
    const lines = await withTestBed(short(2), { isPatient: true }, async (bed) => {
      await bed.begin();
      await bed.repeat(2, async () => {
        for (const proxy of bed.proxies) proxy.reset();
      });
      return bed.judge("resets");
    });
    expect(lines.join("\n")).toContain("0 lost, 0 doubled, no mail stuck");
  },
  WITH_A_LEASE_MS,
);

it("clients of two instances killed in turn get every signal once and in order, by stream and long poll", async () => {
  const lines = await killStreams(short(3));
  expect(lines.join("\n")).toContain("0 lost, doubled or out of order");
}, 120_000);

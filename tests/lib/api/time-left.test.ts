import { expect, it } from "vitest";
import { openFacts, timeLeftMs } from "@/lib/api/facts";

/** A request that came to the proxy so long ago, and here just now. */
const request = (header: string | null, startedAt = performance.now()): Request => {
  const made = new Request("http://localhost/api/executions", {
    headers: header === null ? {} : { "X-Request-Start": header },
  });
  openFacts(made, { requestId: "r", route: "/api/executions", startedAt });
  return made;
};
const cameAgo = (ms: number) => `t=${((Date.now() - ms) / 1_000).toFixed(3)}`;

it("is two and a half seconds from when a request came here", () => {
  expect(timeLeftMs(request(null))).toBeCloseTo(2_500, -2);
  expect(timeLeftMs(request(null, performance.now() - 1_000))).toBeCloseTo(1_500, -2);
  expect(timeLeftMs(request(cameAgo(5)))).toBeCloseTo(2_500, -2);
});

it("is no more than what another instance left of 2.9 seconds", () => {
  expect(timeLeftMs(request(cameAgo(1_500)))).toBeCloseTo(1_400, -2);
  expect(timeLeftMs(request(cameAgo(2_800)))).toBe(500);
});

it("is the same whatever a wrong clock or somebody else writes there", () => {
  for (const header of [
    ...[
      cameAgo(3_600_000),
      cameAgo(-3_600_000),
      cameAgo(2_950),
      "t=",
      "t=1",
      "1795600000.000",
      "t=17956000000.0",
    ],
    ...["t=1795600000.0000", "now", ""],
  ])
    expect(timeLeftMs(request(header)), header).toBeCloseTo(2_500, -2);
});

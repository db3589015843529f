import { expect, it } from "vitest";
import { attachRequestFacts, timeLeftMs } from "@/lib/api/request-facts";

/** A request with this X-Request-Start header that arrived at this process at `startedAt`. */
const request = (header: string | null, startedAt = performance.now()): Request => {
  const made = new Request("http://localhost/api/executions", {
    headers: header === null ? {} : { "X-Request-Start": header },
  });
  attachRequestFacts(made, { requestId: "r", route: "/api/executions", startedAt });
  return made;
};
const cameAgo = (ms: number) => `t=${((Date.now() - ms) / 1_000).toFixed(3)}`;

/** Tolerates half a second less, because another process may have used the processor. */
const about = (ms: number) => (leftMs: number) => leftMs <= ms + 1 && leftMs > ms - 500;

it("a request has two and a half seconds from its arrival to be answered", () => {
  expect(timeLeftMs(request(null))).toSatisfy(about(2_500));
  expect(timeLeftMs(request(null, performance.now() - 1_000))).toSatisfy(about(1_500));
  expect(timeLeftMs(request(cameAgo(5)))).toSatisfy(about(2_500));
});

it("a request that arrived earlier by its X-Request-Start has the rest of 2.9 seconds, and at least 500 ms", () => {
  expect(timeLeftMs(request(cameAgo(1_500)))).toSatisfy(about(1_400));
  expect(timeLeftMs(request(cameAgo(2_800)))).toBe(500);
});

it("an X-Request-Start that is invalid or from another clock is ignored", () => {
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
    expect(timeLeftMs(request(header)), header).toSatisfy(about(2_500));
});

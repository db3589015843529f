import { expect, it } from "vitest";
import { noteRequest, recentRequests } from "@/lib/subscribers/recent-requests";

const AT_MS = Date.parse("2026-11-23T09:00:00.250Z");
const REQUEST = {
  method: "GET",
  route: "/api/scan",
  status: 200,
  ms: 1.25,
  code: undefined,
  requestId: "one",
};

it("recent requests are listed with their details, newest first", async () => {
  noteRequest(901, AT_MS, REQUEST);
  const refused = { ...REQUEST, method: "POST", route: "/api/executions", status: 422, ms: 3.5 };
  noteRequest(901, AT_MS + 1, { ...refused, code: "validation_failed", requestId: "two" });
  noteRequest(902, AT_MS, { ...REQUEST, requestId: "another's" });
  expect((await recentRequests(901)).requests).toEqual([
    { ...refused, code: "validation_failed", requestId: "two", at: new Date(AT_MS + 1) },
    { ...REQUEST, at: new Date(AT_MS) },
  ]);
});

it("only the last twenty requests of a subscription are kept", async () => {
  for (let n = 0; n < 45; n++) {
    const [status, code] = n % 2 === 0 ? [200, undefined] : [429, "rate_limited"];
    noteRequest(903, AT_MS + n, { ...REQUEST, status, code, ms: n, requestId: `request ${n}` });
  }
  const { requests } = await recentRequests(903);
  expect(requests.map(({ requestId }) => requestId)).toEqual(
    Array.from({ length: 20 }, (_, n) => `request ${44 - n}`),
  );
  for (const { at, ms, status, code } of requests) {
    expect(at.getTime()).toBe(AT_MS + ms);
    expect([status, code]).toEqual(ms % 2 === 0 ? [200, undefined] : [429, "rate_limited"]);
  }
});

it("a subscription without requests has an empty list", async () => {
  expect((await recentRequests(904)).requests).toEqual([]);
});

it("the recent requests keep their generated or client-given ids, the newest twenty", async () => {
  const given = "7c9e6679-7425-40de-944b-e07fc1f90ae7";
  for (let n = 0; n < 30; n++) {
    const own = `own-${n}`.padEnd(16, ".");
    noteRequest(905, AT_MS + n, { ...REQUEST, requestId: n % 3 === 0 ? `${given}-${n}` : own });
  }
  expect((await recentRequests(905)).requests.map(({ requestId }) => requestId)).toEqual(
    Array.from({ length: 20 }, (_, n) => 29 - n).map((n) =>
      n % 3 === 0 ? `${given}-${n}` : `own-${n}`.padEnd(16, "."),
    ),
  );
});

it("the requests of the least recent subscriptions are dropped, and are in no other subscription's list", async () => {
  const FIRST = 10_000_000;
  noteRequest(FIRST - 1, AT_MS, { ...REQUEST, requestId: "a given id of an early one" });
  for (let n = 0; n < 45_000; n++) {
    noteRequest(FIRST + n, AT_MS, { ...REQUEST, requestId: "sixteen-letters." });
    noteRequest(906, AT_MS, REQUEST);
  }
  expect((await recentRequests(FIRST - 1)).requests, "quiet for long").toEqual([]);
  expect((await recentRequests(906)).requests, "heard of all the time").toHaveLength(20);
  expect((await recentRequests(FIRST + 44_999)).requests.map(({ requestId }) => requestId)).toEqual([
    "sixteen-letters.",
  ]);
});

it("the list of recent requests says since when it is complete: the last request of a dropped subscription", async () => {
  const LATER_MS = Date.now() + 60_000;
  const FIRST = 20_000_000;
  for (let n = 0; n < 10_002; n++) noteRequest(FIRST + n, LATER_MS + n, REQUEST);
  expect((await recentRequests(FIRST)).since).toEqual(new Date(LATER_MS + 1));
  noteRequest(FIRST, LATER_MS + 20_000, REQUEST);
  expect((await recentRequests(FIRST)).since, "forgotten and heard of again").toEqual(new Date(LATER_MS + 1));
});

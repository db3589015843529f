import { ADMIN_SECRET } from "@/tests/support/database";
import { signInByForm } from "@/tests/support/sign-in";
import { type ClosedLoopTask, type LoadResult, runClosedLoop, runOpenLoop } from "./load";
import { startBareNextPage } from "./reference-servers";
import { type BenchService, ingestScan, makeKeys, startBenchService } from "./service";

const SECONDS = 10;
const VISITORS = 64;
/** Number of visitors' addresses in rotation, because an address is limited to 600 pages a minute. */
const ADDRESSES = 20_000;
const KEYS = 2_000;
const POLLS_PER_SECOND = 300;
const ROUNDS = 3;
/** Number of visitors for the comparison with a bare page: few enough that none waits two seconds and is refused. */
const FLOOR_VISITORS = 16;
/** Wanted number of public pages a second, and the rate of visitors during the measured polls. */
const PAGES_PER_SECOND = 1_000;
/** Wanted limit for the p99 of polls during visits, as a multiple of the p99 without visits. */
const MAX_SLOWDOWN = 2.5;

/**
 * Measures public pages and portal overviews per second, then the latency of scheduled polls: alone, during landing-page
 * visits at the wanted rate, and during visits without pauses, alternating. Server, database and callers share the
 * machine.
 */
export async function benchPages(): Promise<string[]> {
  const service = await startBenchService({ MARKET_FEED: "off", WORKER: "none", TRUST_PROXY_HOPS: "1" });
  try {
    await ingestScan(service.server, ADMIN_SECRET);
    const keys = await makeKeys(service.sql, KEYS, "pro");
    await service.sql`update api_keys set rate_limit_per_min = 100000`;
    return [...(await rates(service, keys[0] ?? "")), ...(await beside(service, keys))];
  } finally {
    await service.stop();
  }
}

/** The load of visitors who request one page, each request from another client address. */
const visit = (service: BenchService, path: string, more: Record<string, string> = {}): ClosedLoopTask => ({
  url: service.server.url + path,
  connections: VISITORS,
  seconds: SECONDS,
  headers: Array.from({ length: ADDRESSES }, (_, n) => ({
    "X-Forwarded-For": `198.18.${n >> 8}.${n & 255}`,
    ...more,
  })),
});

async function rates(service: BenchService, key: string): Promise<string[]> {
  const cookie = await signInByForm(service.server.url, "/login/by-key", { api_key: key });
  const lines: string[] = [];
  for (const [path, headers, wanted] of [
    ["/", {}, PAGES_PER_SECOND],
    ["/record", {}, PAGES_PER_SECOND],
    ["/docs/metatrader", {}, PAGES_PER_SECOND],
    ["/portal", { Cookie: cookie }, 100],
  ] as const) {
    const task = visit(service, path, headers);
    await runClosedLoop({ ...task, seconds: 2 });
    const result = await runClosedLoop(task);
    lines.push(
      `${path} by ${VISITORS} visitors: ${Math.round(result.requestsPerSecond)}/s (wanted ${wanted}), ${timesOf(result)} (${result.generator})`,
    );
  }
  return [...lines, await besideFloor(service, cookie)];
}

/** Compares the rates of the portal's overview and of a bare Next page with the same elements, alternating. */
async function besideFloor(service: BenchService, cookie: string): Promise<string> {
  const portal: ClosedLoopTask = {
    ...visit(service, "/portal", { Cookie: cookie }),
    connections: FLOOR_VISITORS,
  };
  const answer = await fetch(portal.url, { headers: { Cookie: cookie } });
  const html = await answer.text();
  const floor = await startBareNextPage(html);
  try {
    const drawn = await (await fetch(floor.url)).text();
    const page: ClosedLoopTask = { url: floor.url, connections: FLOOR_VISITORS, seconds: SECONDS };
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      theirs.push((await runClosedLoop(page)).requestsPerSecond);
      ours.push((await runClosedLoop(portal)).requestsPerSecond);
    }
    const rate = (rates: number[]) => Math.max(...rates);
    return (
      `/portal by ${FLOOR_VISITORS} visitors: ${rate(ours).toFixed(0)}/s (${html.length} bytes), Next's own page of the same ` +
      `elements ${rate(theirs).toFixed(0)}/s (${drawn.length} bytes): ${(rate(ours) / rate(theirs)).toFixed(2)} of it (wanted 0.8)`
    );
  } finally {
    await floor.stop();
  }
}

/** Measures polls alone, during visits at the wanted rate, and during visits without pauses, alternating. */
async function beside(service: BenchService, keys: string[]): Promise<string[]> {
  const { url } = service.server;
  const polls = { url: `${url}/api/scan`, perSecond: POLLS_PER_SECOND, seconds: SECONDS, keys };
  const visitors = {
    url: `${url}/`,
    perSecond: PAGES_PER_SECOND,
    seconds: SECONDS,
    keys: ["none"],
    connections: VISITORS,
  };
  const alone: LoadResult[] = [];
  const disturbed: LoadResult[] = [];
  const flooded: LoadResult[] = [];
  let failedPages = 0;
  await runOpenLoop({ ...polls, seconds: 2 });
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(await runOpenLoop(polls));
    const [besidePages, pages] = await Promise.all([runOpenLoop(polls), runOpenLoop(visitors)]);
    disturbed.push(besidePages);
    failedPages += pages.errors;
    const [besideFlood] = await Promise.all([runOpenLoop(polls), runClosedLoop(visit(service, "/"))]);
    flooded.push(besideFlood);
  }
  const p99 = (results: LoadResult[]) => Math.min(...results.map(({ p99Ms }) => p99Ms));
  const times = (results: LoadResult[]) => (p99(results) / p99(alone)).toFixed(1);
  return [
    `${POLLS_PER_SECOND} scheduled polls/s, alone: ${alone.map(timesOf).join("; ")}`,
    `beside ${PAGES_PER_SECOND} pages/s of ${VISITORS} visitors (failed ${failedPages}): ${disturbed.map(timesOf).join("; ")}`,
    `beside ${VISITORS} visitors without a pause: ${flooded.map(timesOf).join("; ")}`,
    `p99 of the best rounds, relative to that without visitors: ${times(disturbed)} (wanted at most ${MAX_SLOWDOWN}); without a pause ${times(flooded)}`,
  ];
}

const timesOf = ({ p50Ms, p99Ms, errors }: LoadResult) =>
  `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, failed ${errors}`;

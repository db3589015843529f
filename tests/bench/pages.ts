import { ADMIN_SECRET } from "@/tests/support/database";
import { signInByForm } from "@/tests/support/sign-in";
import { type Load, type LoadResult, load, loadOnSchedule } from "./load";
import { type BenchService, ingestScan, makeKeys, startBenchService } from "./service";

const SECONDS = 10;
const VISITORS = 64;
/** One address may have 600 pages a minute. */
const ADDRESSES = 20_000;
const KEYS = 2_000;
const POLLS_PER_SECOND = 300;
const ROUNDS = 3;
/** Of the 99 % fastest polls beside visitors, in times without them. */
const MOST_SLOWER = 2;

/**
 * What visitors take: public pages and the overview of the portal a second, and the time of polls that leave on a schedule
 * beside as many visitors as the landing page gets, and without them, in turn. Server, database and callers share the machine.
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

/** Visitors of one page, each call from another address. */
const visit = (service: BenchService, path: string, more: Record<string, string> = {}): Load => ({
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
    ["/", {}, 1_000],
    ["/record", {}, 1_000],
    ["/docs/metatrader", {}, 1_000],
    ["/portal", { Cookie: cookie }, 100],
  ] as const) {
    const task = visit(service, path, headers);
    await load({ ...task, seconds: 2 });
    const result = await load(task);
    lines.push(
      `${path} by ${VISITORS} visitors: ${Math.round(result.requestsPerSecond)}/s (wanted ${wanted}), ${timesOf(result)} (${result.generator})`,
    );
  }
  return lines;
}

/** Polls without visitors and beside them, in turn. */
async function beside(service: BenchService, keys: string[]): Promise<string[]> {
  const url = `${service.server.url}/api/scan`;
  const polls = { url, perSecond: POLLS_PER_SECOND, seconds: SECONDS, keys };
  const alone: LoadResult[] = [];
  const disturbed: LoadResult[] = [];
  await loadOnSchedule({ ...polls, seconds: 2 });
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(await loadOnSchedule(polls));
    const [besidePages] = await Promise.all([loadOnSchedule(polls), load(visit(service, "/"))]);
    disturbed.push(besidePages);
  }
  const p99 = (results: LoadResult[]) => Math.min(...results.map(({ p99Ms }) => p99Ms));
  const ratio = p99(disturbed) / p99(alone);
  return [
    `${POLLS_PER_SECOND} polls/s on a schedule, alone: ${alone.map(timesOf).join("; ")}`,
    `the same beside ${VISITORS} visitors of /: ${disturbed.map(timesOf).join("; ")}`,
    `p99 of the best rounds: ${ratio.toFixed(1)} times that without visitors (wanted at most ${MOST_SLOWER})`,
  ];
}

const timesOf = ({ p50Ms, p99Ms, errors }: LoadResult) =>
  `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, failed ${errors}`;

import { execFile, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import autocannon from "autocannon";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { quantile } from "./quantile";

export interface LoadResult {
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Answers that were not 2xx or 3xx, and connections that broke. */
  errors: number;
}

export interface Load {
  url: string;
  connections: number;
  seconds: number;
  /** Sent in turn as X-API-Key. */
  keys?: string[];
}

/** Closed-loop load: wrk where it is installed (it leaves more of the machine to the server), else autocannon. */
export async function load(wanted: Load): Promise<LoadResult & { generator: string }> {
  const hasWrk = spawnSync("wrk", ["-v"]).error === undefined;
  return hasWrk
    ? { ...(await withWrk(wanted)), generator: "wrk" }
    : { ...(await withAutocannon(wanted)), generator: "autocannon" };
}

async function withWrk({ url, connections, seconds, keys }: Load): Promise<LoadResult> {
  const script = join(temporaryDirectory("signal-load-"), "load.lua");
  const keyFile = `${script}.keys`;
  writeFileSync(keyFile, (keys ?? []).join("\n"));
  writeFileSync(
    script,
    `local keys = {}
for line in io.lines("${keyFile}") do keys[#keys + 1] = line end
local turn = 0
local ready = {}
function init(args)
  for i, key in ipairs(keys) do ready[i] = wrk.format("GET", nil, { ["X-API-Key"] = key }) end
  if #keys == 0 then ready[1] = wrk.format("GET") end
end
function request()
  turn = turn % #ready + 1
  return ready[turn]
end
function done(summary, latency)
  local e = summary.errors
  io.write(string.format("RESULT %f %f %f %d\\n", summary.requests / (summary.duration / 1e6),
    latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    e.status + e.connect + e.read + e.write + e.timeout))
end
`,
  );
  const { stdout } = await promisify(execFile)("wrk", [
    "-t1",
    `-c${connections}`,
    `-d${seconds}s`,
    "-s",
    script,
    url,
  ]);
  const [, rate, p50, p99, errors] = /RESULT (\S+) (\S+) (\S+) (\d+)/.exec(stdout) ?? [];
  return { requestsPerSecond: Number(rate), p50Ms: Number(p50), p99Ms: Number(p99), errors: Number(errors) };
}

async function withAutocannon({ url, connections, seconds, keys }: Load): Promise<LoadResult> {
  let turn = 0;
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    requests: [
      {
        method: "GET",
        setupRequest: (request) => {
          const key = keys?.[turn++ % keys.length];
          return key ? { ...request, headers: { ...request.headers, "X-API-Key": key } } : request;
        },
      },
    ],
  });
  return {
    requestsPerSecond: result.requests.average,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    errors: result.errors + result.non2xx,
  };
}

/**
 * Open-loop load: requests leave when they are due, however long the ones before take, and their time counts from when
 * they were due.
 */
export async function loadOnSchedule({
  url,
  keys = [],
  seconds,
  perSecond,
}: Omit<Load, "connections"> & { perSecond: number }): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: 512 });
  const times: number[] = [];
  let errors = 0;
  const startedMs = performance.now();
  const underWay: Promise<void>[] = [];
  for (let n = 0; n < perSecond * seconds; n++) {
    const dueMs = startedMs + (1_000 * n) / perSecond;
    while (performance.now() < dueMs) await pause(1);
    const asked = ask(agent, "GET", url, { "X-API-Key": keys[n % keys.length] ?? "" }).then((status) => {
      times.push(performance.now() - dueMs);
      if (status !== 200) errors++;
    });
    underWay.push(asked);
  }
  await Promise.all(underWay);
  agent.destroy();
  return { requestsPerSecond: perSecond, p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99), errors };
}

/** The status of one answer, whose body is read and let go. */
export function ask(
  agent: Agent,
  method: string,
  url: string,
  headers: Record<string, string>,
  body?: string,
): Promise<number> {
  return new Promise((done, fail) => {
    const sent = request(url, { method, agent, headers }, (answer) => {
      answer.resume();
      answer.on("end", () => done(answer.statusCode ?? 0));
      answer.on("error", fail);
    });
    sent.on("error", fail);
    sent.end(body);
  });
}

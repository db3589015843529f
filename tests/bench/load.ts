import { execFile, spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { type Agent, request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import autocannon from "autocannon";
import { temporaryDirectory } from "@/tests/support/temporary-directory";

export interface LoadResult {
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Failed requests: answers from 400 on and broken connections; in an open loop any answer but a 200. */
  errors: number;
}

export interface ClosedLoopTask {
  url: string;
  connections: number;
  seconds: number;
  /** API keys sent in rotation. */
  keys?: string[];
  /** Headers of the requests in rotation; not used with `keys`. */
  headers?: Record<string, string>[];
  /** Sent as If-None-Match with every request. */
  etag?: string;
}

const headersOf = ({ keys, headers, etag }: ClosedLoopTask): Record<string, string>[] => {
  const known: Record<string, string> = etag === undefined ? {} : { "If-None-Match": etag };
  return (keys?.map((key) => ({ "X-API-Key": key })) ?? headers ?? [{}]).map((one) => ({ ...one, ...known }));
};

/**
 * Sends GET requests in a closed loop: each connection sends the next request after the answer. Uses wrk if installed,
 * because it leaves more of the machine to the server, else autocannon.
 */
export async function runClosedLoop(wanted: ClosedLoopTask): Promise<LoadResult & { generator: string }> {
  const hasWrk = spawnSync("wrk", ["-v"]).error === undefined;
  return hasWrk
    ? { ...(await withWrk(wanted)), generator: "wrk" }
    : { ...(await withAutocannon(wanted)), generator: "autocannon" };
}

async function withWrk(wanted: ClosedLoopTask): Promise<LoadResult> {
  const { url, connections, seconds } = wanted;
  const script = join(temporaryDirectory("signal-load-"), "load.lua");
  const headerFile = `${script}.headers`;
  // One line per request, with header names and values separated by tabs.
  const lines = headersOf(wanted).map((headers) => Object.entries(headers).flat().join("\t"));
  writeFileSync(headerFile, `${lines.join("\n")}\n`);
  writeFileSync(
    script,
    `local turn = 0
local ready = {}
function init(args)
  for line in io.lines("${headerFile}") do
    local headers = {}
    for name, value in line:gmatch("([^\t]+)\t([^\t]*)") do headers[name] = value end
    ready[#ready + 1] = wrk.format("GET", nil, headers)
  end
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

async function withAutocannon(wanted: ClosedLoopTask): Promise<LoadResult> {
  const { url, connections, seconds } = wanted;
  const inTurn = headersOf(wanted);
  let turn = 0;
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    requests: [
      {
        method: "GET",
        setupRequest: (request) => ({
          ...request,
          headers: { ...request.headers, ...inTurn[turn++ % inTurn.length] },
        }),
      },
    ],
  });
  return {
    requestsPerSecond: result.requests.average,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    errors: result.errors + result["4xx"] + result["5xx"],
  };
}

export interface OpenLoopTask {
  url: string;
  keys: string[];
  seconds: number;
  perSecond: number;
  /**
   * Number of connections, 64 by default. The server closes a connection with too many pipelined requests, so a longer
   * stall of the server needs more connections.
   */
  connections?: number;
}

export interface OpenLoopResult {
  p50Ms: number;
  p99Ms: number;
  errors: number;
  /** 99th percentile of the delay of the generator's own event loop, which is part of the measured times. */
  lateP99Ms: number;
}

/**
 * Sends GET requests in an open loop, from a separate process: each is sent on schedule, even if earlier ones have no
 * answer yet, and its time counts from the scheduled moment. Any answer but a 200 counts as an error.
 */
export async function runOpenLoop(
  task: Omit<OpenLoopTask, "keys"> & { keys?: string[] },
): Promise<LoadResult & OpenLoopResult> {
  const child = spawn(process.execPath, ["--import", "tsx", join(import.meta.dirname, "open-loop.ts")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const answer = text(child.stdout);
  child.stdin.end(JSON.stringify({ ...task, keys: task.keys ?? [""] }));
  const result: OpenLoopResult = JSON.parse(await answer);
  return { ...result, requestsPerSecond: task.perSecond };
}

/** Sends one request. Returns the status of the answer and discards its body. */
export function sendForStatus(
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

import { readdirSync, readlinkSync } from "node:fs";
import { childProcessesMb, residentMb } from "@/tests/bench/memory";
import type { Dice } from "@/tests/support/dice";
import type { AttackedService } from "./attack-cases";
import type { FuzzRequest } from "./make-request";
import { type RawRequests, sendOneRequest, sendRawRequests } from "./raw-socket";

/** Hosts for the absolute form of a request target, most of them invalid. */
const HOSTS = [
  "x",
  "localhost:3000",
  "[",
  "x:99999",
  "%",
  "@",
  "[v1.a]",
  ":99999",
  "[::1",
  "",
  "a b",
  "[::1]:80:80",
];
const ENDINGS: readonly RawRequests["ending"][] = [
  "read",
  "read",
  "end",
  "destroy",
  "first byte",
  "write first",
];
const MAX_PIPELINED = 70;
const PATIENCE_MS = 20_000;

/**
 * A request target for a path. `form`, from 0 to 99, selects the form of RFC 9112, section 3.2: below 50 origin, below 85
 * absolute with a random host, below 95 asterisk or authority; above that, an invalid path without its slash.
 */
export function requestTarget(form: number, path: string, dice: Dice): string {
  if (form < 50) return path;
  if (form < 85) return `${dice.pick(["http", "https", "HTTP"])}://${dice.pick(HOSTS)}${path}`;
  return form < 95 ? dice.pick(["*", "x:443", "x"]) : path.slice(1);
}

/** Bytes of a request as an attacker may write it: with another form of target, a wrong length or too many headers. */
function bytesOf(request: FuzzRequest, dice: Dice): Buffer {
  const body = request.body ?? Buffer.alloc(0);
  const lie = dice.below(100);
  const length = lie < 90 ? body.length : dice.pick([0, body.length + 1, 1_000_000, -1]);
  const fields = Object.entries({ Host: "x", ...request.headers });
  if (dice.chance(0.02))
    fields.push(...Array.from({ length: 200 }, (_, n): [string, string] => [`X-${n}`, "x".repeat(90)]));
  if (dice.chance(0.1))
    fields.push(["RSC", "1"], ["Next-Router-State-Tree", dice.pick(["[]", "%5B%22%22%2C%7B%7D%5D", "x"])]);
  fields.push(lie > 97 ? ["Transfer-Encoding", "chunked"] : ["Content-Length", String(length)]);
  const target = requestTarget(dice.below(100), request.target, dice);
  const head = `${request.method} ${target} HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), body]);
}

/**
 * Sends a request 1 to 70 times over one connection, which may be abandoned at any point. Returns the statuses that
 * were received.
 */
export async function sendOverOneConnection(
  access: AttackedService,
  request: FuzzRequest,
  dice: Dice,
): Promise<number[]> {
  const n = dice.chance(0.7) ? 1 : 1 + dice.below(MAX_PIPELINED);
  const bytes = Buffer.concat(Array.from({ length: n }, () => bytesOf(request, dice)));
  const at = dice.below(bytes.length);
  const pieces = dice.chance(0.3) ? [bytes.subarray(0, at), bytes.subarray(at)] : [bytes];
  const { answers } = await sendRawRequests(access.target, {
    pieces: dice.chance(0.1) ? pieces.slice(0, 1) : pieces,
    methods: Array.from({ length: n }, () => request.method),
    ending: dice.pick(ENDINGS),
    // Half a request is answered at the server's own timeout, which this does not wait for.
    patienceMs: dice.chance(0.1) ? 50 : 1_500,
  });
  return answers.map(({ status }) => status);
}

/** Resources of a server that must not keep growing. */
export interface ServerResources {
  sockets: number;
  /** The HTTP server's process only. */
  httpServerMb: number;
  /** The HTTP server and its child processes. */
  memoryMb: number;
  temporaryFiles: number;
}

/** @param temporary the server's folder for temporary files */
export function readServerResources(pid: number, temporary: string): ServerResources {
  const descriptors = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return "";
    }
  });
  const httpServerMb = residentMb(pid);
  return {
    sockets: descriptors.filter((link) => link.startsWith("socket:")).length,
    httpServerMb,
    memoryMb: httpServerMb + childProcessesMb(pid),
    temporaryFiles: readdirSync(temporary).filter(
      (name) => name.startsWith("signal-pages-") || name.startsWith("signals-pages-"),
    ).length,
  };
}

/** Paths of each kind with their expected status: cached, rendered per visitor, guarded, file, unknown, health check. */
const LOOKED_AT: readonly (readonly [path: string, status: number])[] = [
  ["/", 200],
  ["/terms", 200],
  ["/docs/reference", 200],
  ["/login", 200],
  ["/portal", 200],
  ["/robots.txt", 200],
  ["/no-such-page", 404],
  ["/api/health/ready", 200],
];

/** Requests every kind of page. Throws if a status is wrong. Returns the longest answer time in milliseconds. */
export async function checkPages({ target, cookie }: AttackedService): Promise<number> {
  let slowestMs = 0;
  for (const [path, wanted] of LOOKED_AT) {
    const headers: Record<string, string> = { "X-Forwarded-For": "203.0.113.200" };
    if (path === "/portal") headers.Cookie = cookie;
    const { status, ms } = await sendOneRequest(target, { path, headers, patienceMs: PATIENCE_MS });
    if (status !== wanted) throw new Error(`${path} is ${status} and not ${wanted}`);
    slowestMs = Math.max(slowestMs, ms);
  }
  return slowestMs;
}

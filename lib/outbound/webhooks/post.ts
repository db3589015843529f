import { type ClientRequest, request as requestPlain } from "node:http";
import { request as requestTls } from "node:https";
import { isIP } from "node:net";
import { parseRetryAfterSeconds } from "@/lib/outbound/retry-after";
import { SECOND_MS } from "@/lib/time";
import { isPublicAddress, NonPublicAddressError, publicLookup } from "./public-address";
import type { ResolveHost } from "./resolve-host";
import { bareHost, isDemoLoopback } from "./target";

/** Time limit of an attempt, from the DNS look-up to the end of the answer. */
const DEADLINE_MS = 5 * SECOND_MS;
/** Limit of bytes read of an answer. */
const MAX_READ_BYTES = 64 * 1024;
const KEPT_BYTES = 1_024;

/** Result of an attempt. */
export interface PostResult {
  /** null: there was no answer. */
  status: number | null;
  /** Why the attempt failed; null: it was accepted. */
  code: string | null;
  ms: number;
  /** The first kilobyte of the answer. */
  answer: string;
  /** Delay requested by a busy receiver. */
  retryAfterSeconds: number | null;
}

export interface PostOptions {
  deadlineMs?: number;
  /** Resolves names; for tests. */
  resolve?: ResolveHost;
  /** The address is from the operator's own configuration: it may be private and without TLS. */
  isOperators?: boolean;
}

/**
 * Posts JSON to a webhook. Connects only to public addresses (except to this machine on the
 * simulated market, and with `isOperators`), follows no redirect, does not reuse the connection, and ends after at most
 * five seconds. A failure is not thrown, but returned as `code`.
 */
export async function postJson(
  target: string,
  body: string,
  headers: Record<string, string>,
  options: PostOptions = {},
): Promise<PostResult> {
  const startedAt = performance.now();
  const url = new URL(target);
  const said = { status: null as number | null, answer: "", retryAfterSeconds: null as number | null };
  let code: string | null;
  try {
    code = await exchange(url, body, headers, options, said);
  } catch (error) {
    code = codeOf(error);
  }
  return { ...said, code, ms: Math.round(performance.now() - startedAt) };
}

async function exchange(
  url: URL,
  body: string,
  headers: Record<string, string>,
  options: PostOptions,
  said: { status: number | null; answer: string; retryAfterSeconds: number | null },
): Promise<string | null> {
  const trial = isDemoLoopback(url) || options.isOperators === true;
  if (url.protocol !== "https:" && !trial) throw new NonPublicAddressError();
  const host = bareHost(url);
  // The resolver is not called for an IP address, so the address is checked here.
  if (!trial && isIP(host) !== 0 && !isPublicAddress(host)) throw new NonPublicAddressError();
  const request = (url.protocol === "https:" ? requestTls : requestPlain)(url, {
    method: "POST",
    agent: false,
    headers: {
      ...headers,
      "Content-Type": "application/json; charset=utf-8",
      "Content-Length": String(Buffer.byteLength(body)),
      "User-Agent": "signal-delivery-service",
      Connection: "close",
    },
    ...(trial ? {} : { lookup: publicLookup(options.resolve) }),
  });
  const timer = setTimeout(() => request.destroy(new SlowError()), options.deadlineMs ?? DEADLINE_MS);
  try {
    return await answered(request, body, said);
  } finally {
    clearTimeout(timer);
    request.destroy();
  }
}

function answered(
  request: ClientRequest,
  body: string,
  said: { status: number | null; answer: string; retryAfterSeconds: number | null },
): Promise<string | null> {
  return new Promise((resolve, reject) => {
    request.on("error", reject);
    request.on("response", (response) => {
      const status = response.statusCode ?? 0;
      said.status = status;
      said.retryAfterSeconds = parseRetryAfterSeconds(response.headers["retry-after"]);
      const chunks: Buffer[] = [];
      let read = 0;
      const finish = () => {
        said.answer = Buffer.concat(chunks)
          .subarray(0, KEPT_BYTES)
          .toString("utf8")
          // PostgreSQL cannot store NUL in text.
          .replaceAll("\u0000", "\uFFFD");
        resolve(codeOfStatus(status));
      };
      response.on("data", (chunk: Buffer) => {
        if (read < KEPT_BYTES) chunks.push(chunk);
        read += chunk.length;
        if (read < MAX_READ_BYTES) return;
        finish();
        request.destroy();
      });
      response.on("end", finish);
      response.on("error", reject);
    });
    request.end(body);
  });
}

function codeOfStatus(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? "redirect" : `status_${status}`;
}

class SlowError extends Error {
  readonly code = "TOO_SLOW";
}

/** System error codes that describe the failure; all others become one word, because texts quote addresses. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return /^[A-Z0-9_]{3,60}$/.test(code) ? code.toLowerCase() : "no_connection";
}

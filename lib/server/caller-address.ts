import type { IncomingMessage } from "node:http";
import { db } from "@/db/client";
import { writeIgnoredForwardedFor } from "@/db/queries/ignored-forwarded-for";
import { addressMatcher, resolveClientAddress } from "@/lib/api/client-address";
import { env } from "@/lib/runtime/env";
import { log } from "@/lib/runtime/log";
import { recordErrorCode } from "@/lib/runtime/metrics";
import { processWide } from "@/lib/runtime/process-wide";
import { MINUTE_MS } from "@/lib/time";

/** The caller's IP address for limits and log lines: the socket's, or the one in a trusted proxy's X-Forwarded-For. */
export function callerAddress(request: IncomingMessage): string {
  const forwarded = request.headers["x-forwarded-for"];
  const { address, isIgnored } = resolveClientAddress({
    peer: request.socket.remoteAddress ?? "",
    forwardedFor: Array.isArray(forwarded) ? forwarded.join(",") : forwarded,
    hops: env().trustProxyHops,
    isTrustedPeer: isTrustedProxy,
  });
  if (isIgnored) reportIgnoredForwardedFor();
  // Load balancers also probe a server without going through a proxy.
  if (!request.url?.startsWith("/api/health")) countForwarded(isIgnored);
  return address;
}

/** Whether the address is a trusted proxy. */
function isTrustedProxy(address: string): boolean {
  return processWide("trusted-proxies", () => addressMatcher(env().trustProxyFrom))(address);
}

/** Counts an ignored X-Forwarded-For, and logs the first one of this process. */
function reportIgnoredForwardedFor(): void {
  recordErrorCode("forwarded_for_ignored");
  processWide("ignored-header-named", () => {
    log("warn", "X-Forwarded-For is ignored: see TRUST_PROXY_HOPS and TRUST_PROXY_FROM");
    return true;
  });
}

const WINDOW_MS = 10 * MINUTE_MS;
const MIN_REQUESTS = 10;
const MIN_SHARE = 0.9;

/**
 * Stores that X-Forwarded-For was ignored, for the administrator's pages and the doctor, when nearly all requests of
 * ten minutes had it: an untrusted proxy adds it to all of them, and then all callers share one address and its limits.
 * A single client that sends the header harms only itself.
 */
function countForwarded(isIgnored: boolean): void {
  const nowMs = performance.now();
  const window = processWide("ignored-header-window", () => ({ sinceMs: nowMs, n: 0, nIgnored: 0 }));
  window.n++;
  if (isIgnored) window.nIgnored++;
  if (nowMs - window.sinceMs < WINDOW_MS) return;
  if (window.n >= MIN_REQUESTS && window.nIgnored >= MIN_SHARE * window.n)
    // Without a database it is stored after the next ten minutes.
    writeIgnoredForwardedFor(db(), { at: new Date().toISOString() }).catch(() => undefined);
  Object.assign(window, { sinceMs: nowMs, n: 0, nIgnored: 0 });
}

import type { IncomingMessage } from "node:http";
import { db } from "@/db/client";
import { writeIgnoredForwardedFor } from "@/db/queries/ignored-forwarded-for";
import { addressMatcher, resolveClientAddress } from "@/lib/api/client-address";
import { env } from "@/lib/runtime/env";
import { log } from "@/lib/runtime/log";
import { recordErrorCode } from "@/lib/runtime/metrics";
import { processWide } from "@/lib/runtime/process-wide";
import { HOUR_MS } from "@/lib/time";

/** The caller's IP address for limits and log lines: the socket's, or the one in a trusted proxy's X-Forwarded-For. */
export function callerAddress(request: IncomingMessage): string {
  const forwarded = request.headers["x-forwarded-for"];
  const { address, isIgnored } = resolveClientAddress({
    peer: request.socket.remoteAddress ?? "",
    forwardedFor: Array.isArray(forwarded) ? forwarded.join(",") : forwarded,
    hops: env().trustProxyHops,
    isTrustedPeer: isTrustedProxy,
  });
  if (isIgnored) noteIgnoredForwardedFor();
  return address;
}

/** Whether the address is a trusted proxy. */
function isTrustedProxy(address: string): boolean {
  return processWide("trusted-proxies", () => addressMatcher(env().trustProxyFrom))(address);
}

/**
 * Records that X-Forwarded-For was ignored: behind an untrusted proxy all callers share one address and its limits.
 * Each process logs this once, counts it each time, and stores it at most once an hour for the administrator's pages
 * and the doctor.
 */
function noteIgnoredForwardedFor(): void {
  recordErrorCode("forwarded_for_ignored");
  const noted = processWide("ignored-header-noted", () => ({ atMs: Number.NEGATIVE_INFINITY }));
  if (performance.now() - noted.atMs > HOUR_MS) {
    noted.atMs = performance.now();
    const written = writeIgnoredForwardedFor(db(), { at: new Date().toISOString() });
    // Without a database it is recorded after an hour, with the next such request; the count above continues.
    written.catch(() => undefined);
  }
  processWide("ignored-header-named", () => {
    log("warn", "X-Forwarded-For is ignored: see TRUST_PROXY_HOPS and TRUST_PROXY_FROM");
    return true;
  });
}

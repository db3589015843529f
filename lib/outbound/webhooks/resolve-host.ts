import { Resolver } from "node:dns/promises";
import { SECOND_MS } from "@/lib/time";

/** Time limit for resolving a name. A delivery has five seconds, so two remain for connecting and for the answer. */
const DEADLINE_MS = 3 * SECOND_MS;

/**
 * Resolves a host name to addresses. Rejects with the code ENOTFOUND for a missing name, ETIMEOUT for any other
 * failure.
 */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

interface ResolveOptions {
  deadlineMs?: number;
  /** Replaces the system's name servers, for tests. */
  servers?: readonly string[];
}

/**
 * Queries the system's name servers for a host's IPv4 and IPv6 addresses. `dns.lookup` would block a thread of
 * libuv's pool, and a few names without an answer would delay all file operations. Names of /etc/hosts are not found.
 */
export async function resolveHost(hostname: string, options: ResolveOptions = {}): Promise<string[]> {
  const resolver = new Resolver({ timeout: SECOND_MS, tries: 2 });
  if (options.servers) resolver.setServers(options.servers);
  const timer = setTimeout(() => resolver.cancel(), options.deadlineMs ?? DEADLINE_MS);
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  clearTimeout(timer);
  const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  if (addresses.length > 0) return addresses;
  const codes = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason.code] : []));
  throw new ResolveError(codes.every((code) => MISSING.has(code)) ? "ENOTFOUND" : "ETIMEOUT");
}

/** Error codes for a name that does not exist, or has no address of the requested kind. */
const MISSING = new Set<unknown>(["ENOTFOUND", "ENODATA"]);

class ResolveError extends Error {
  constructor(readonly code: "ENOTFOUND" | "ETIMEOUT") {
    super("the host name has no address");
    this.name = "ResolveError";
  }
}

import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";
import { clientNetwork } from "@/lib/access/limits/client-network";

/**
 * Header in which the HTTP server passes the caller's address to handlers. It overwrites a header of this name from the
 * client.
 */
export const CLIENT_ADDRESS_HEADER = "x-client-address";

/**
 * IP address of the caller, from X-Forwarded-For if the proxies in front are trusted; `unknown` without the HTTP
 * server.
 */
export function clientAddress(headers: Headers): string {
  return headers.get(CLIENT_ADDRESS_HEADER) ?? "unknown";
}

/**
 * The network of the caller, by which requests without a key are rate-limited: an IPv4 address or the first 64 bits of
 * an IPv6 one.
 */
export function callingNetwork(headers: Headers): string {
  return clientNetwork(clientAddress(headers));
}

/** Facts of a connection from which the caller's address is determined. */
export interface ClientAddressSource {
  /** Address of the socket's peer. */
  peer: string;
  forwardedFor: string | undefined;
  /** Number of proxies in front of the server (TRUST_PROXY_HOPS). */
  hops: number;
  isTrustedPeer: (address: string) => boolean;
}

export interface ResolvedAddress {
  address: string;
  /** Whether X-Forwarded-For was ignored, because no proxy is configured or the peer is not a trusted one. */
  isIgnored: boolean;
}

/**
 * Determines the caller's address. It is the address of the socket's peer or, if a trusted peer sends X-Forwarded-For,
 * the entry that the outermost of the `hops` proxies wrote. Entries to the left of it come from the client and are
 * ignored. If the entry is not an address, the peer's address is used.
 */
export function resolveClientAddress({
  peer,
  forwardedFor,
  hops,
  isTrustedPeer,
}: ClientAddressSource): ResolvedAddress {
  const own = parseForwardedAddress(peer) ?? "unknown";
  if (!forwardedFor) return { address: own, isIgnored: false };
  if (hops === 0 || !isTrustedPeer(own)) return { address: own, isIgnored: true };
  const chain = forwardedFor.split(",");
  return {
    address: parseForwardedAddress(chain[Math.max(0, chain.length - hops)] ?? "") ?? own,
    isIgnored: false,
  };
}

/**
 * The IP address in an entry of X-Forwarded-For, which may have quotes, a port, brackets or a zone. An IPv4 address
 * written as IPv6 becomes IPv4. null: the entry contains no address.
 */
export function parseForwardedAddress(entry: string): string | null {
  // Fast path for an address without port or brackets, as sockets report it on every request.
  const bare = entry.startsWith("::ffff:") ? entry.slice(7) : entry;
  if (isIPv4(bare)) return bare;
  const text = entry.trim().replace(/^"(.*)"$/, "$1");
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1];
  const plain = (bracketed ?? text.replace(/^([^:]+):\d{1,5}$/, "$1")).split("%", 1)[0] ?? "";
  // A socket that listens on all addresses reports an IPv4 peer as ::ffff:192.0.2.1.
  const dotted = plain.replace(/^::ffff:(?=[\d.]+$)/i, "");
  if (isIPv4(dotted)) return dotted;
  if (!isIPv6(plain)) return null;
  // Canonical form: lower case, the longest run of zeros left out.
  const { hostname } = new URL(`http://[${plain}]`);
  const address = hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address);
  if (!mapped) return address;
  const bits = Number.parseInt(mapped[1] ?? "", 16) * 65_536 + Number.parseInt(mapped[2] ?? "", 16);
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join(".");
}

const MAX_KNOWN = 1_000;

/** Returns a test whether an address is in a list of addresses and networks, such as `10.0.0.0/8`. */
export function addressMatcher(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", length] = network.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    list.addSubnet(address, Number(length ?? (family === "ipv6" ? 128 : 32)), family);
  }
  // Results by address, because this runs on every request, mostly for the same few proxies, and searching the list is
  // slow.
  const known = new Map<string, boolean>();
  return (address) => {
    const found = known.get(address);
    if (found !== undefined) return found;
    const isOneOf = isIP(address) !== 0 && list.check(address, isIPv6(address) ? "ipv6" : "ipv4");
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(address, isOneOf);
    return isOneOf;
  };
}

import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";
import { clientNetwork } from "@/lib/access/limits/client-network";

/** Header that the server in front stamps on every request, over whatever a client sent under that name. */
export const CLIENT_ADDRESS_HEADER = "x-client-address";

/** Network address of the caller, as far as trusted proxies tell. */
export function clientAddress(headers: Headers): string {
  return headers.get(CLIENT_ADDRESS_HEADER) ?? "unknown";
}

/** What the caller is counted by where there is no key. */
export function callingNetwork(headers: Headers): string {
  return clientNetwork(clientAddress(headers));
}

/** What is known of a request's way before its headers are believed. */
export interface Connection {
  /** Address of the peer of the socket. */
  peer: string;
  forwardedFor: string | undefined;
  /** How many proxies stand in front. */
  hops: number;
  isTrustedPeer: (address: string) => boolean;
}

export interface ResolvedAddress {
  address: string;
  /** X-Forwarded-For came and was not believed: no proxy is configured, or the peer is none of them. */
  isIgnored: boolean;
}

/**
 * Picks the caller's address: the socket's own, or, from a trusted peer behind `hops` proxies, the entry of
 * X-Forwarded-For that the outermost of them wrote. What a client wrote further left is not believed, and an entry that
 * is no address stands for nobody: the caller is then counted as the proxy.
 */
export function resolveClientAddress({
  peer,
  forwardedFor,
  hops,
  isTrustedPeer,
}: Connection): ResolvedAddress {
  const own = parseAddress(peer) ?? "unknown";
  if (!forwardedFor) return { address: own, isIgnored: false };
  if (hops === 0 || !isTrustedPeer(own)) return { address: own, isIgnored: true };
  const chain = forwardedFor.split(",");
  return {
    address: parseAddress(chain[Math.max(0, chain.length - hops)] ?? "") ?? own,
    isIgnored: false,
  };
}

/**
 * The IP address in an entry as proxies write it: in quotes, with a port, in brackets, with a zone. An IPv4 address
 * written as IPv6 is the IPv4 address. null when there is none.
 */
export function parseAddress(entry: string): string | null {
  // As sockets name their peers, at each request.
  const bare = entry.startsWith("::ffff:") ? entry.slice(7) : entry;
  if (isIPv4(bare)) return bare;
  const text = entry.trim().replace(/^"(.*)"$/, "$1");
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1];
  const plain = (bracketed ?? text.replace(/^([^:]+):\d{1,5}$/, "$1")).split("%", 1)[0] ?? "";
  // The usual way in which a listener on all addresses names an IPv4 peer.
  const dotted = plain.replace(/^::ffff:(?=[\d.]+$)/i, "");
  if (isIPv4(dotted)) return dotted;
  if (!isIPv6(plain)) return null;
  // Written in one way: small letters, the longest run of zeros left out.
  const { hostname } = new URL(`http://[${plain}]`);
  const address = hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address);
  if (!mapped) return address;
  const bits = Number.parseInt(mapped[1] ?? "", 16) * 65_536 + Number.parseInt(mapped[2] ?? "", 16);
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join(".");
}

const MAX_KNOWN = 1_000;

/** Whether an address is one of these addresses and networks, such as `10.0.0.0/8`. */
export function addressMatcher(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", length] = network.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    list.addSubnet(address, Number(length ?? (family === "ipv6" ? 128 : 32)), family);
  }
  // Asked for every request, and mostly of the same few proxies: searching the list costs more than all the rest.
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

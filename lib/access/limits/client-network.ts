import { isIPv4, isIPv6 } from "node:net";

/**
 * The network that limits count by: an IPv4 address, or the first 64 bits of an IPv6 one. One household or server owns
 * all addresses with the same 64 bits and could send each request from another.
 */
export function clientNetwork(address: string): string {
  if (!isIPv6(address)) return address;
  return `${firstGroups(address, 4)}::/64`;
}

/**
 * The network that log lines name: the first 24 bits of an IPv4 address, or 48 of an IPv6 one, because log lines may be
 * kept longer than addresses; `unknown` for any other text.
 */
export function loggedNetwork(address: string): string {
  if (isIPv4(address)) return `${address.split(".").slice(0, 3).join(".")}.0/24`;
  return isIPv6(address) ? `${firstGroups(address, 3)}::/48` : "unknown";
}

/** The first groups of an IPv6 address in their shortest spelling. */
function firstGroups(address: string, count: number): string {
  const [plain = ""] = address.split("%", 1);
  const [head = [], tail] = plain.split("::").map((part) => (part === "" ? [] : part.split(":")));
  // An IPv4 address at the end, as in 64:ff9b::192.0.2.1, counts as two groups.
  const written = head.length + (tail?.length ?? 0) + (plain.includes(".") ? 1 : 0);
  const groups = tail === undefined ? head : [...head, ...Array<string>(8 - written).fill("0"), ...tail];
  const network = groups.slice(0, count).map((group) => Number.parseInt(group, 16).toString(16));
  return network.join(":");
}

import { isIPv6 } from "node:net";

/**
 * The network that limits count by: an IPv4 address, or the first 64 bits of an IPv6 one. One household or server owns
 * all addresses with the same 64 bits and could send each request from another (decision 127).
 */
export function clientNetwork(address: string): string {
  if (!isIPv6(address)) return address;
  const [plain = ""] = address.split("%", 1);
  const [head, tail] = plain.split("::").map((part) => (part === "" ? [] : part.split(":")));
  if (head === undefined) return address;
  // An IPv4 address at the end, as in 64:ff9b::192.0.2.1, stands for two groups.
  const written = head.length + (tail?.length ?? 0) + (plain.includes(".") ? 1 : 0);
  const groups = tail === undefined ? head : [...head, ...Array<string>(8 - written).fill("0"), ...tail];
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(":")}::/64`;
}

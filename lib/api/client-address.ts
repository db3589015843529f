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

/**
 * Picks the caller's address: the socket's own, or, behind `hops` trusted proxies, the entry of
 * X-Forwarded-For that the outermost trusted proxy wrote. What a client wrote further left is not believed.
 */
export function resolveClientAddress(
  socketAddress: string,
  forwardedFor: string | undefined,
  hops: number,
): string {
  if (hops > 0 && forwardedFor) {
    const chain = forwardedFor.split(",").map((part) => part.trim());
    const address = chain[Math.max(0, chain.length - hops)];
    if (address) return address.slice(0, 64);
  }
  return socketAddress.replace(/^::ffff:/, "") || "unknown";
}

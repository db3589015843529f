import { BlockList, isIP, type LookupFunction } from "node:net";
import { type ResolveHost, resolveHost } from "./resolve-host";

/** IPv4 ranges that are not public: IANA's list of special addresses, and the clouds' own services. */
const CLOSED_V4: readonly [string, number][] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.31.196.0", 24],
  ["192.52.193.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["192.175.48.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

/**
 * The only public range of IPv6. It contains closed ranges, such as tunnels with an embedded IPv4 address and ranges
 * for documentation.
 */
const OPEN_V6: readonly [string, number] = ["2000::", 3];
const CLOSED_V6: readonly [string, number][] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["2620:4f:8000::", 48],
  ["3fff::", 20],
];

const closedV4 = new BlockList();
for (const [network, length] of CLOSED_V4) closedV4.addSubnet(network, length, "ipv4");
const openV6 = new BlockList();
openV6.addSubnet(...OPEN_V6, "ipv6");
const closedV6 = new BlockList();
for (const [network, length] of CLOSED_V6) closedV6.addSubnet(network, length, "ipv6");

/**
 * Whether an IP address is public: not private, link-local, loopback, multicast or reserved, no cloud's metadata
 * service, and without an embedded IPv4 address. false for anything that is not an IP address.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !closedV4.check(address, "ipv4");
  // An address with a zone, such as fe80::1%eth0, is on one of this machine's own networks.
  if (isIP(address) !== 6 || address.includes("%")) return false;
  return openV6.check(address, "ipv6") && !closedV6.check(address, "ipv6");
}

/**
 * Thrown before a connection to a target that must not be reached: its address is not public, or its URL is not https.
 */
export class NonPublicAddressError extends Error {
  readonly code = "CLOSED_ADDRESS";
  constructor() {
    super("the address is not public");
    this.name = "NonPublicAddressError";
  }
}

/**
 * Resolver of a connection: it returns addresses only if all of the name's addresses are public. The connection uses
 * exactly these, so that a name which changes its address after the check gains nothing.
 */
export const publicLookup =
  (resolve: ResolveHost = resolveHost): LookupFunction =>
  (hostname, options, done) => {
    resolve(hostname)
      .then((addresses) => {
        const [first] = addresses;
        if (first === undefined || !addresses.every(isPublicAddress)) throw new NonPublicAddressError();
        if (options.all)
          done(
            null,
            addresses.map((address) => ({ address, family: isIP(address) })),
          );
        else done(null, first, isIP(first));
      })
      .catch((error: Error) => done(error, "", 0));
  };

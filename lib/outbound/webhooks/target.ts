import { isIP } from "node:net";
import { type Env, env } from "@/lib/runtime/env";
import { invalidField } from "@/lib/wire/errors";
import { isPublicAddress } from "./public-address";

const MAX_LENGTH = 2_000;
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** The variables that decide which addresses are allowed. */
type AddressConfig = Pick<Env, "marketFeed" | "baseUrl">;

const isLoopback = (url: URL): boolean => url.protocol === "http:" && LOOPBACK.has(url.hostname);

/**
 * Whether a URL is a plain http address of this machine, and the service a demo that serves only this machine: only then
 * is it allowed as a target. Visitors of a public demo could otherwise read what else listens on its machine.
 */
export function isDemoLoopback(url: URL, config: AddressConfig = env()): boolean {
  return config.marketFeed === "demo" && isLoopback(new URL(config.baseUrl)) && isLoopback(url);
}

/** The host without the brackets of an IPv6 address. */
export const bareHost = (url: URL): string => url.hostname.replace(/^\[|\]$/g, "");

/**
 * Normalises a webhook address for storage. Throws 422 for the field `url`. Names are checked again at every
 * connection by the addresses that they then resolve to.
 */
export function parseWebhookUrl(text: string, config: AddressConfig = env()): string {
  const wrong = (what: string) => invalidField("body", "url", what);
  const trimmed = text.trim();
  if (trimmed.length > MAX_LENGTH) throw wrong(`must not be longer than ${MAX_LENGTH} characters`);
  if (!URL.canParse(trimmed)) throw wrong("must be an address such as https://example.com/hooks");
  const url = new URL(trimmed);
  url.hash = "";
  if (url.username !== "" || url.password !== "") throw wrong("must not contain a user name or a password");
  if (isDemoLoopback(url, config)) return url.href;
  if (url.protocol !== "https:")
    throw wrong("must begin with https:// and name a host on the public network");
  const host = bareHost(url);
  if (
    isIP(host) !== 0
      ? !isPublicAddress(host)
      : !host.includes(".") || /\.(local|internal|localhost)\.?$/i.test(host)
  )
    throw wrong("must be an address on the public network");
  return url.href;
}

import { env } from "@/lib/runtime/env";

/** Addresses whose mail is not read (decision 118). */
const UNREAD = /^(no|do-?not)[-._]?reply/i;

/** The address from which the service sends mail; null when replies to it are not read. */
export function contactAddress(mailFrom = env().mailFrom): string | null {
  const address = mailFrom.match(/<([^<>]+)>\s*$/)?.[1]?.trim() ?? mailFrom.trim();
  return UNREAD.test(address) ? null : address;
}

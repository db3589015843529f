import { env } from "@/lib/runtime/env";

/** Addresses that nobody reads. */
const UNREAD = /^(no|do-?not)[-._]?reply/i;

/** The address that mail of the service comes from, where answers to it are read; null where they are not. */
export function contactAddress(mailFrom = env().mailFrom): string | null {
  const address = mailFrom.match(/<([^<>]+)>\s*$/)?.[1]?.trim() ?? mailFrom.trim();
  return UNREAD.test(address) ? null : address;
}

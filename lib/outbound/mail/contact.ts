import { brand } from "@/lib/runtime/brand";

/** Addresses whose mail is not read. */
const UNREAD = /^(no|do-?not)[-._]?reply/i;

/** Where people write to the service: its support, or who sends its mail; null when replies to that are not read. */
export function contactAddress({ mailFrom, supportAddress } = brand()): string | null {
  if (supportAddress !== null) return supportAddress;
  const address = mailFrom.match(/<([^<>]+)>\s*$/)?.[1]?.trim() ?? mailFrom.trim();
  return UNREAD.test(address) ? null : address;
}

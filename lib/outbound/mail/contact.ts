import { brand } from "@/lib/runtime/brand";

/** Senders such as no-reply@, whose mailbox is not read. */
const UNREAD = /^(no|do-?not)[-._]?reply/i;

/**
 * Contact address of the service: the support address, otherwise the sender of its mails; null if that mailbox is not
 * read.
 */
export function contactAddress({ mailFrom, supportAddress } = brand()): string | null {
  if (supportAddress !== null) return supportAddress;
  const address = mailFrom.match(/<([^<>]+)>\s*$/)?.[1]?.trim() ?? mailFrom.trim();
  return UNREAD.test(address) ? null : address;
}

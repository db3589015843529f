import { env } from "./env";

/** The address that mail of the service comes from and answers go to, without its display name. */
export function contactAddress(mailFrom = env().mailFrom): string {
  return mailFrom.match(/<([^<>]+)>\s*$/)?.[1]?.trim() ?? mailFrom.trim();
}

import type { RetainedKind } from "@/lib/vocabulary";

/** Default retention of each kind in days; 0: forever. */
export const DEFAULT_RETENTION_DAYS: Readonly<Record<RetainedKind, number>> = {
  "sign-in-links": 1,
  sessions: 90,
  "rejected-reports": 90,
  "client-addresses": 90,
  fetches: 91,
  "untraded-signals": 91,
  "webhook-deliveries": 30,
  "telegram-messages": 30,
  "channel-deliveries": 30,
  "audit-addresses": 180,
  mails: 180,
  probes: 400,
  "feature-values": 400,
  "payment-payloads": 730,
  "platform-customers": 1095,
  "candle-corrections": 730,
  "execution-changes": 730,
  "account-requests": 30,
  "alert-posts": 30,
  alerts: 180,
  "invoices-of-deleted": 3650,
};

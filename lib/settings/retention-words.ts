import type { RetainedKind } from "@/lib/vocabulary";

/** For each kind: what is deleted after its retention, and why it is kept until then. */
export const RETENTION_WORDS: Record<RetainedKind, { what: string; why: string }> = {
  "sign-in-links": { what: "Sign-in links", why: "They work for minutes." },
  sessions: {
    what: "Ended sessions, with their addresses",
    why: "A subscriber sees where they were signed in.",
  },
  "rejected-reports": {
    what: "Rejected reports, with their first kilobyte",
    why: "For diagnostics and support.",
  },
  "client-addresses": {
    what: "Addresses of trading clients since their last call",
    why: "For help with the connection.",
  },
  fetches: {
    what: "When trading clients fetched which signals",
    why: "A subscriber's own record shows 90 days.",
  },
  "untraded-signals": {
    what: "Why trading clients did not trade signals",
    why: "A subscriber's own record shows 90 days.",
  },
  "webhook-deliveries": {
    what: "Webhook deliveries, with the answers",
    why: "A subscriber sees what was sent and can send it again.",
  },
  "telegram-messages": {
    what: "Finished Telegram messages",
    why: "The portal shows what was sent.",
  },
  "channel-deliveries": {
    what: "Finished messages to other channels, such as Discord",
    why: "The portal shows what was sent.",
  },
  "audit-addresses": {
    what: "Addresses in the audit log",
    why: "To find misuse. The entries stay.",
  },
  mails: {
    what: "Addresses and contents of mails",
    why: "To send them again. The fact that a mail was sent is kept, so that none is sent twice.",
  },
  probes: { what: "Health by the minute", why: "The status page shows 90 days. Daily sums stay." },
  "feature-values": {
    what: "Values of features",
    why: "Drift is measured against the training sample.",
  },
  "payment-payloads": {
    what: "Payment deliveries",
    why: "For disputes. Invoices and their effect on access stay.",
  },
  "platform-customers": {
    what: "Buyers of platforms that send the e-mail address separately",
    why: "Links a first payment to its buyer. Counted from the platform's last message.",
  },
  "candle-corrections": {
    what: "Former values of corrected candles",
    why: "For questions about a feed. The candles themselves stay.",
  },
  "account-requests": {
    what: "Requests to change an address or delete an account",
    why: "Their links work for an hour.",
  },
  "alert-posts": { what: "Alerts to owners' servers", why: "They are delivered or given up within a day." },
  alerts: { what: "Alerts", why: "The page Alerts shows the newest." },
  "invoices-of-deleted": {
    what: "Invoices of deleted accounts, without name and address",
    why: "Set it to the period that your law requires.",
  },
  "execution-changes": { what: "Former values of changed executions", why: "For questions about a report." },
};

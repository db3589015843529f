import type { Retained } from "@/lib/vocabulary";

/** For each kind: what is deleted after its retention, and why it is kept until then. */
export const RETENTION_WORDS: Record<Retained, { what: string; why: string }> = {
  "sign-in-links": { what: "Sign-in links", why: "They work for minutes." },
  sessions: {
    what: "Sessions that are over, with their addresses",
    why: "A subscriber sees where they were signed in.",
  },
  "rejected-reports": {
    what: "Refused reports, with their first kilobyte",
    why: "Findings look back a day; support a little longer.",
  },
  "client-addresses": {
    what: "Addresses of trading clients since their last call",
    why: "They help while a client is being set up.",
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
    what: "Deliveries to subscribers' servers, with the answers",
    why: "A subscriber sees what was sent, and may send it again.",
  },
  "telegram-messages": {
    what: "Messages to Telegram that are settled",
    why: "The portal shows what was sent.",
  },
  "channel-deliveries": {
    what: "Messages to other channels, such as Discord, that are settled",
    why: "The portal shows what was sent.",
  },
  "audit-addresses": {
    what: "Addresses in the audit log",
    why: "For finding misuse. The entries themselves stay.",
  },
  mails: {
    what: "Addresses and contents of mails",
    why: "For sending again. That a mail went out is kept, so that none goes twice.",
  },
  probes: { what: "Health by the minute", why: "The status page shows 90 days. Sums by the day stay." },
  "feature-values": {
    what: "Values of features",
    why: "Drift compares the newest with the training sample.",
  },
  "payment-payloads": {
    what: "Deliveries of the payment platform",
    why: "For disputes. Invoices and what they did stay.",
  },
  "platform-customers": {
    what: "Buyers of platforms that send the e-mail address separately",
    why: "Links a first payment to its buyer. Counted from the platform's last message.",
  },
  "candle-corrections": {
    what: "What closed candles were before they were corrected",
    why: "For questions about a feed. The candles themselves stay.",
  },
  "account-requests": {
    what: "Requests for another address or for deletion",
    why: "Their links work for an hour.",
  },
  "alert-posts": { what: "Alerts to owners' servers", why: "Delivered, or given up after a day." },
  alerts: { what: "Alerts", why: "The page Alerts shows the newest." },
  "invoices-of-deleted": {
    what: "Invoices of deleted accounts, without name and address",
    why: "Set it to the period for which your law requires records.",
  },
  "execution-changes": { what: "Former values of changed executions", why: "For questions about a report." },
};

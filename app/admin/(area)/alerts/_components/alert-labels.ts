import type { AlertMethod, AlertTopic } from "@/lib/vocabulary";

/** Name and explanation of each alert topic. */
export const TOPIC_LABELS: Readonly<Record<AlertTopic, { name: string; hint: string }>> = {
  health: { name: "Health", hint: "The service is down or degraded, or has recovered." },
  payments_refused: {
    name: "Payments are refused",
    hint: "Three or more deliveries in a row had a wrong signature, over at least 15 minutes.",
  },
  unmapped_product: { name: "Unmapped product", hint: "A payment whose plan had to be guessed." },
  dead_letters: {
    name: "Failed deliveries",
    hint: "Mails, webhook events or Telegram messages that failed within the last day.",
  },
  disk_or_backup: {
    name: "Disk or backup",
    hint: "Less than a gigabyte is free, or the newest good backup is too old.",
  },
  champion_demoted: { name: "Champion demoted", hint: "A slot falls back to the class frequencies." },
  silent_clients: {
    name: "Silent clients",
    hint: "More than half of your trading clients are offline while markets are open, from four clients on.",
  },
  own_model_late: { name: "Own model late", hint: "A model of your own has not sent its signal in time." },
};

export const ALERT_METHOD_LABELS: Readonly<Record<AlertMethod, string>> = {
  mail: "By mail, to your sign-in address",
  telegram: "By the Telegram bot",
  webhook: "To your server",
};

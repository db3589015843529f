import type { MailLinks } from "./frame";

/** Links of previews and tests. */
export const PREVIEW_LINKS: MailLinks = {
  service: "Example Signals",
  accent: null,
  support: "help@signals.example",
  home: "https://signals.example",
  portal: "https://signals.example/portal",
  setup: "https://signals.example/portal/setup",
  shop: "https://shop.example/signals",
  preferences: "https://signals.example/portal/settings",
  decline: "https://signals.example/login/mails?token=12.notice.abc",
  webhooks: "https://signals.example/portal/delivery",
};

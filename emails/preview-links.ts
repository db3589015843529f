import type { MailLinks } from "./frame";

/** Sample links for previews and tests of mails. */
export const PREVIEW_LINKS: MailLinks = {
  service: "Example Signals",
  logo: "https://signals.example/apple-icon.png",
  accent: null,
  support: "help@signals.example",
  contact: "help@signals.example",
  home: "https://signals.example",
  portal: "https://signals.example/portal",
  setup: "https://signals.example/portal/setup",
  shop: "https://shop.example/signals",
  preferences: "https://signals.example/portal/settings",
  decline: "https://signals.example/login/mails?token=12.notice.abc",
  witness: {
    head: "4711:45c09723f1db39bfbe98e729f67e1b64926c9a3e95f61dc3a7b0d4c2b57c9312",
    verify: "https://signals.example/verify",
  },
  webhooks: "https://signals.example/portal/delivery",
};

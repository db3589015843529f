import { adminPaths } from "@/lib/paths";
import type { ServiceSecret } from "@/lib/runtime/variables";

/** What each secret is called in labels and messages, and the page that it is entered on. */
export const SECRET_WORDS: Readonly<Record<ServiceSecret, { label: string; page: () => string }>> = {
  PAYMENT_WEBHOOK_SECRET: { label: "Secret of the generic platform", page: adminPaths.platforms },
  STRIPE_WEBHOOK_SECRET: { label: "Secret of Stripe", page: adminPaths.platforms },
  PADDLE_WEBHOOK_SECRET: { label: "Secret of Paddle", page: adminPaths.platforms },
  LEMONSQUEEZY_WEBHOOK_SECRET: { label: "Secret of Lemon Squeezy", page: adminPaths.platforms },
  WHOP_WEBHOOK_SECRET: { label: "Secret of Whop", page: adminPaths.platforms },
  GUMROAD_WEBHOOK_SECRET: { label: "Secret of Gumroad", page: adminPaths.platforms },
  PADDLE_SANDBOX_WEBHOOK_SECRET: { label: "Secret of Paddle's sandbox", page: adminPaths.platforms },
  WHOP_SANDBOX_WEBHOOK_SECRET: { label: "Secret of Whop's sandbox", page: adminPaths.platforms },
  RESEND_API_KEY: { label: "API key of Resend", page: () => adminPaths.mail() },
  SMTP_URL: { label: "Address of the SMTP server", page: () => adminPaths.mail() },
  TELEGRAM_BOT_TOKEN: { label: "Token of the bot", page: () => adminPaths.outbound() },
  OANDA_TOKEN: { label: "Token of OANDA", page: adminPaths.feeds },
};

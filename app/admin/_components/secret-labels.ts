import { adminPaths } from "@/lib/paths";
import { adapterOf } from "@/lib/payments/adapters/find-adapter";
import type { PlatformSecretName, SandboxSecretName, ServiceSecretName } from "@/lib/runtime/variables";
import { PAYMENT_ADAPTERS } from "@/lib/vocabulary";

interface SecretLabels {
  label: string;
  page(): string;
}

const OF_PLATFORMS = Object.fromEntries(
  PAYMENT_ADAPTERS.map(adapterOf).flatMap(({ name, title, secret, sandboxSecret }) => {
    const words = (label: string): SecretLabels => ({ label, page: adminPaths.platforms });
    return [
      [secret, words(`Secret of ${name === "generic" ? "the generic platform" : title}`)],
      ...(sandboxSecret ? [[sandboxSecret, words(`Secret of ${title}'s sandbox`)]] : []),
    ];
  }),
) as Record<PlatformSecretName | SandboxSecretName, SecretLabels>;

/** Label of each secret, and the page with its form. */
export const SECRET_LABELS: Readonly<Record<ServiceSecretName, SecretLabels>> = {
  ...OF_PLATFORMS,
  RESEND_API_KEY: { label: "API key of Resend", page: () => adminPaths.mail() },
  SMTP_URL: { label: "Address of the SMTP server", page: () => adminPaths.mail() },
  TELEGRAM_BOT_TOKEN: { label: "Token of the bot", page: () => adminPaths.outbound() },
  OANDA_TOKEN: { label: "Token of OANDA", page: adminPaths.feeds },
};

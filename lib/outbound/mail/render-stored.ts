import { subscriberShop } from "@/lib/runtime/renewal-link";
import type { MailKind, MailProps } from "./kinds";
import { type MailSite, mailSite } from "./links";
import type { RenderedMail } from "./render-mail";

/**
 * Writes a mail as it is stored. `secret` is the key or token that goes into it, null for kinds that carry none;
 * `unsubscribeToken` goes to its reader alone. `ledgerHead` is that of the time when the mail was queued.
 */
export async function renderStored(
  mail: { kind: string; props: Record<string, unknown>; subscriptionId?: number | null },
  secret: string | null,
  { unsubscribeToken = null, ledgerHead = null }: Pick<MailSite, "declineToken" | "ledgerHead"> = {},
): Promise<RenderedMail> {
  // The templates and what writes them take 40 MB and a second, which a process that writes no mail never needs.
  const { renderMail } = await import("./render-mail");
  const site = mailSite();
  return renderMail({
    // Kind and props were stored together by `queueMail`, which takes them as a pair.
    kind: mail.kind as MailKind,
    props: mail.props as unknown as MailProps[MailKind],
    secret,
    // Renewing by a mail's link extends the reader's own access, whatever address pays.
    site: {
      ...site,
      brand: { ...site.brand, shopUrl: subscriberShop(mail.subscriptionId ?? null) },
      unsubscribeToken,
      ledgerHead,
    },
  });
}

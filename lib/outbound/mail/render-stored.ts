import { subscriberShopUrl } from "@/lib/runtime/renewal-link";
import type { MailKind, MailPropsByKind } from "./kinds";
import { type MailContext, mailContext } from "./links";
import type { RenderedMail } from "./render-mail";

/**
 * Renders a stored mail. `secret` is the key or token, null for kinds without one. `unsubscribeToken` is only for the
 * recipient's copy. `ledgerHead` is the ledger's head when the mail was queued.
 */
export async function renderStoredMail(
  mail: { kind: string; props: Record<string, unknown>; subscriptionId?: number | null },
  secret: string | null,
  { unsubscribeToken = null, ledgerHead = null }: Pick<MailContext, "unsubscribeToken" | "ledgerHead"> = {},
): Promise<RenderedMail> {
  // Imported on demand: the templates and React take 40 MB and a second, which a process without mails never needs.
  const { renderMail } = await import("./render-mail");
  const site = mailContext();
  return renderMail({
    // `queueMail` stored kind and props as a matching pair.
    kind: mail.kind as MailKind,
    props: mail.props as unknown as MailPropsByKind[MailKind],
    secret,
    // Renewing through a mail's link extends the recipient's own access, even if another address pays.
    site: {
      ...site,
      brand: { ...site.brand, shopUrl: subscriberShopUrl(mail.subscriptionId ?? null) },
      unsubscribeToken,
      ledgerHead,
    },
  });
}

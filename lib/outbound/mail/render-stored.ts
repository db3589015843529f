import type { MailKind, MailProps } from "./kinds";
import { mailSite } from "./links";
import type { RenderedMail } from "./render-mail";

/**
 * Writes a mail as it is stored. `secret` is the key or token that goes into it; null for kinds that carry none. What
 * writes it takes most of a second to load, and is loaded for the first one.
 */
export async function renderStored(
  mail: { kind: string; props: Record<string, unknown> },
  secret: string | null,
): Promise<RenderedMail> {
  const { renderMail } = await import("./render-mail");
  return renderMail({
    // Kind and props were stored together by `queueMail`, which takes them as a pair.
    kind: mail.kind as MailKind,
    props: mail.props as unknown as MailProps[MailKind],
    secret,
    site: mailSite(),
  });
}

import { adminDocument, htmlDocument } from "@/lib/auth/admin-document";
import { MAIL_KINDS } from "@/lib/mail/kinds";
import { renderSample } from "@/lib/mail/render-mail";
import { AppError } from "@/lib/wire/errors";

/** GET /admin/mail/templates/{kind}.html: a template with its sample. */
export const GET = adminDocument<{ file: string }>("mail.template", async ({ file }) => {
  const kind = MAIL_KINDS.find((each) => `${each}.html` === file);
  if (!kind) throw new AppError("not_found");
  return htmlDocument((await renderSample(kind)).html);
});

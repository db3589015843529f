import { documentRoute, htmlDocument } from "@/lib/auth/document-route";
import { adminOnly } from "@/lib/auth/guards";
import { MAIL_KINDS } from "@/lib/outbound/mail/kinds";
import { renderSample } from "@/lib/outbound/mail/render-mail";
import { AppError } from "@/lib/wire/errors";

/** GET /admin/mail/templates/{kind}.html: a template with sample content. */
export const GET = documentRoute({
  name: "mail.template",
  guard: adminOnly,
  make: async ({ params }: { params: { file: string } }) => {
    const kind = MAIL_KINDS.find((each) => `${each}.html` === params.file);
    if (!kind) throw new AppError("not_found");
    return htmlDocument((await renderSample(kind)).html);
  },
});

import { db } from "@/db/client";
import { parseId } from "@/lib/admin/form-fields";
import { documentRoute, htmlDocument } from "@/lib/auth/document-route";
import { adminOnly } from "@/lib/auth/guards";
import { previewMail } from "@/lib/outbound/mail/outbox";

/** GET: a stored mail as HTML; its key or link is hidden. */
export const GET = documentRoute({
  name: "mail.preview",
  guard: adminOnly,
  make: async ({ params }: { params: { id: string } }) =>
    htmlDocument((await previewMail(db(), parseId(params.id))).html),
});

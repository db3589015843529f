import { db } from "@/db/client";
import { parseId } from "@/lib/admin/form-fields";
import { adminDocument, htmlDocument } from "@/lib/auth/admin-document";
import { previewMail } from "@/lib/mail/outbox";

/** GET: a stored mail with its looks; its key or link is hidden. */
export const GET = adminDocument<{ id: string }>("mail.preview", async ({ id }) =>
  htmlDocument((await previewMail(db(), parseId(id))).html),
);

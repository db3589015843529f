import { db } from "@/db/client";
import { EXPORT_NAMES, EXPORTS } from "@/lib/admin/export-csv";
import { recordAudit } from "@/lib/audit";
import { adminDocument } from "@/lib/auth/admin-document";
import { AppError } from "@/lib/errors";
import { streamText } from "@/lib/stream-text";

/** GET: one table as CSV, streamed. That it was taken is recorded first. */
export const GET = adminDocument<{ what: string }>("export", async ({ what }, actor) => {
  const name = EXPORT_NAMES.find((each) => each === what);
  if (!name) throw new AppError("not_found");
  await recordAudit(db(), { actor, action: "export", target: name });
  const day = new Date().toISOString().slice(0, 10);
  return new Response(streamText(EXPORTS[name](db())), {
    headers: {
      "Content-Type": "text/csv; charset=utf-8; header=present",
      "Content-Disposition": `attachment; filename="${name}-${day}.csv"`,
    },
  });
});

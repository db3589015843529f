import { db } from "@/db/client";
import { EXPORT_NAMES, EXPORTS } from "@/lib/admin/export-csv";
import { adminDocument } from "@/lib/auth/admin-document";
import { recordAudit } from "@/lib/runtime/audit";
import { streamText } from "@/lib/runtime/stream-text";
import { AppError } from "@/lib/wire/errors";

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

import { db } from "@/db/client";
import { EXPORTS } from "@/lib/admin/export-csv";
import { recordAudit } from "@/lib/audit";
import { adminDocument } from "@/lib/auth/admin-document";
import { AppError } from "@/lib/errors";

/** GET: one table as CSV, streamed. That it was taken is recorded first. */
export const GET = adminDocument<{ what: string }>("export", async ({ what }, actor) => {
  const name = (["subscribers", "executions", "deliveries", "audit"] as const).find((each) => each === what);
  if (!name) throw new AppError("not_found");
  await recordAudit(db(), { actor, action: "export", target: name });
  const chunks = EXPORTS[name](db());
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await chunks.return();
    },
  });
  const day = new Date().toISOString().slice(0, 10);
  return new Response(body, {
    headers: {
      "Content-Type": "text/csv; charset=utf-8; header=present",
      "Content-Disposition": `attachment; filename="${name}-${day}.csv"`,
    },
  });
});

import { db } from "@/db/client";
import { exportSettings } from "@/lib/admin/settings/settings-file";
import { documentRoute } from "@/lib/auth/document-route";
import { adminOnly } from "@/lib/auth/guards";
import { recordAudit } from "@/lib/runtime/audit";

/** GET: all settings as a file for the import. The audit row is written first. */
export const GET = documentRoute({
  name: "settings.export",
  guard: adminOnly,
  make: async ({ actor }) => {
    const written = `${JSON.stringify(await exportSettings(db()), null, 2)}\n`;
    await recordAudit(db(), { actor, action: "settings.export", target: "settings" });
    const day = new Date().toISOString().slice(0, 10);
    return new Response(written, {
      headers: {
        "Content-Type": "application/json; charset=utf-8",
        "Content-Disposition": `attachment; filename="settings-${day}.json"`,
        "Cache-Control": "no-store",
      },
    });
  },
});

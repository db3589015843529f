import { z } from "zod";
import { db } from "@/db/client";
import { ConfirmedField, UploadedFileField } from "@/lib/admin/form-fields";
import { UPLOAD_KINDS, uploadRows } from "@/lib/admin/upload-rows";
import { MAX_INGEST_BYTES } from "@/lib/api/request-body";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { dispatchByIntent } from "@/lib/auth/intents";
import { adminPaths } from "@/lib/paths";
import { countWithNoun, formatCount } from "@/lib/runtime/count-with-noun";
import { KB } from "@/lib/wire/size";

/** POST: uploads a file with signals, models, features or candles of the operator's pipeline. */
export const POST = dispatchByIntent({
  /** Validates a file, or validates and stores it, all rows or none. */
  upload: formRoute({
    name: "ingest.upload",
    guard: adminOnly,
    maxBytes: MAX_INGEST_BYTES + 4 * KB,
    fields: z.object({
      kind: z.enum(UPLOAD_KINDS, "must be one of the kinds"),
      file: UploadedFileField(MAX_INGEST_BYTES),
      only_check: ConfirmedField,
    }),
    page: () => adminPaths.upload(),
    act: async ({ values: { kind, file, only_check: isTrial }, actor }) => {
      const text = file.toString("utf8");
      const uploaded = await uploadRows(db("heavy"), { kind, text, isTrial }, actor);
      const to = adminPaths.upload({ kind });
      if (!uploaded.ok)
        return {
          to,
          flash: { kind: "report", isGood: false, title: "Nothing was stored", lines: uploaded.problems },
        };
      const { accepted, duplicates } = uploaded.result;
      const counts = `${countWithNoun(uploaded.rows, "row")} read: ${formatCount(accepted)} new or changed, ${formatCount(duplicates)} stored before.`;
      return {
        to,
        flash: isTrial
          ? {
              kind: "report",
              isGood: true,
              title: "The file is valid",
              lines: [counts, "Nothing was stored yet.", ...uploaded.warnings],
            }
          : { kind: "report", isGood: true, title: "Stored", lines: [counts, ...uploaded.warnings] },
      };
    },
  }),
});

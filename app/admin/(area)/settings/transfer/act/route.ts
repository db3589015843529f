import { z } from "zod";
import { db } from "@/db/client";
import { ConfirmedField, UploadedFileField } from "@/lib/admin/form-fields";
import { importSettings, type SettingsImportResult } from "@/lib/admin/settings/settings-file";
import type { Flash } from "@/lib/auth/flash";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { dispatchByIntent } from "@/lib/auth/intents";
import { adminPaths } from "@/lib/paths";
import { countWithNoun } from "@/lib/runtime/count-with-noun";
import { readJson } from "@/lib/wire/json";
import { KB } from "@/lib/wire/size";

const MAX_BYTES = 512 * KB;
const common = {
  guard: adminOnly,
  name: "settings.import",
  page: () => adminPaths.transfer(),
  // URL encoding of the form makes the content longer than the file.
  maxBytes: 2 * MAX_BYTES,
};

/** POST: previews and imports a settings file. */
export const POST = dispatchByIntent({
  /** Shows the changes in a file. */
  preview: formRoute({
    ...common,
    fields: z.object({ file: UploadedFileField(MAX_BYTES), cut_off: ConfirmedField }),
    act: async ({ values, actor }) => {
      const content = values.file.toString("utf8");
      const imported = await importText(content, { isTrial: true, mayCutOff: values.cut_off }, actor);
      if (!imported.ok || imported.lines.length === 0) return { flash: reportOf(imported) };
      return { flash: { kind: "import", lines: imported.lines, content, cutsOff: values.cut_off } };
    },
  }),

  /** Stores a previewed file, all settings or none. */
  import: formRoute({
    ...common,
    fields: z.object({ content: z.string().max(MAX_BYTES), cut_off: ConfirmedField }),
    act: async ({ values, actor }) => {
      const options = { isTrial: false, mayCutOff: values.cut_off };
      return { flash: reportOf(await importText(values.content, options, actor)) };
    },
  }),
});

type Options = Parameters<typeof importSettings>[2];

async function importText(text: string, options: Options, actor: Parameters<typeof importSettings>[3]) {
  let content: unknown;
  try {
    content = readJson(text);
  } catch {
    return { ok: false, errors: ["The file is not JSON."] } satisfies SettingsImportResult;
  }
  // The import is one transaction with a statement for each list and setting. It uses the heavy pool, because on a busy
  // machine it can exceed the time limit of the normal one.
  return importSettings(db("heavy"), content, options, actor);
}

function reportOf(imported: SettingsImportResult): Flash {
  if (!imported.ok)
    return { kind: "report", isGood: false, title: "Nothing was stored", lines: imported.errors };
  const { lines } = imported;
  return lines.length === 0
    ? {
        kind: "report",
        isGood: true,
        title: "Nothing to change",
        lines: ["Every setting in the file is in force already."],
      }
    : { kind: "report", isGood: true, title: `${countWithNoun(lines.length, "setting")} changed`, lines };
}

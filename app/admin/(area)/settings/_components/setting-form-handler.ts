import { z } from "zod";
import { db } from "@/db/client";
import { CONFIRMATION_FIELDS } from "@/lib/admin/form-fields";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { backToForm } from "@/lib/auth/setting-change-flash";
import { adminPaths } from "@/lib/paths";
import { changeSettingEntry } from "@/lib/settings/change-setting";
import { SETTINGS } from "@/lib/settings/registry";
import type { Setting } from "@/lib/settings/setting";
import { AppError } from "@/lib/wire/errors";

/** The handler of a setting's form. The first submission shows a preview of the effect, the second stores the values. */
const formOf = (entry: Setting) =>
  formRoute({
    name: entry.form,
    guard: adminOnly,
    fields: z.object({ ...entry.controls, ...CONFIRMATION_FIELDS }),
    page: () => adminPaths.settingsPage(entry.page),
    act: async ({ values, sent, actor }) => {
      const changed = await changeSettingEntry(db(), entry, entry.ofControls(values), values, actor);
      return backToForm(adminPaths.settingsPage(entry.page), changed, entry.form, sent);
    },
  });

const FORMS = new Map(SETTINGS.map((entry) => [entry.address, formOf(entry)]));

const unknownForm = formRoute({
  name: "settings.unknown",
  guard: adminOnly,
  fields: NoFields,
  page: () => adminPaths.settings(),
  act: () => {
    throw new AppError("not_found");
  },
});

/** The handler of the setting whose form has this address below /admin/settings; responds 404 to an unknown address. */
export const settingFormHandler = (address: string) => FORMS.get(address) ?? unknownForm;

import type { SettingChangeResult } from "@/lib/runtime/setting-change-preview";
import type { Flash } from "./flash";

/** The message after a setting's form was posted: a preview, a conflict, or that it was saved or is unchanged. */
export function settingChangeFlash(
  changed: SettingChangeResult,
  form: string,
  sent: Record<string, string>,
): Flash {
  if (changed.outcome === "unchanged")
    return { kind: "done", text: "The values are the same as before: nothing was changed." };
  if (changed.outcome === "stored")
    return { kind: "done", text: "Saved. It applies on every instance within a second." };
  const { mark: _, ...values } = sent;
  if (changed.outcome === "overtaken") {
    const { version: __, ...typed } = values;
    return { kind: "overtaken", form, values: typed };
  }
  const { lines, cutsOff } = changed.preview;
  return { kind: "preview", form, lines, cutsOff, mark: changed.mark, values };
}

/** Result of a form on a page with several forms: redirects to the form after a preview, otherwise to the top of the page. */
export const backToForm = (
  page: string,
  changed: SettingChangeResult,
  form: string,
  sent: Record<string, string>,
) => ({
  to: changed.outcome === "previewed" ? `${page}#${form}` : page,
  flash: settingChangeFlash(changed, form, sent),
});

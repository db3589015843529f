import { z } from "zod";
import { db } from "@/db/client";
import { CONFIRMATION_FIELDS, RequiredText } from "@/lib/admin/form-fields";
import { changeText, MAX_SITE_TEXT_LENGTH } from "@/lib/admin/settings/texts/change-text";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { settingChangeFlash } from "@/lib/auth/setting-change-flash";
import { adminPaths } from "@/lib/paths";
import { SITE_TEXTS } from "@/lib/vocabulary";
import { AppError } from "@/lib/wire/errors";

const NAME = "text.save";

/** POST: adds a version of a text, after a preview with the number of people who must accept it. */
export const POST = formRoute({
  name: NAME,
  guard: adminOnly,
  fields: z.object({
    content: RequiredText(MAX_SITE_TEXT_LENGTH),
    ...CONFIRMATION_FIELDS,
  }),
  page: ({ name }: { name: string }) => adminPaths.text(name),
  act: async ({ values, sent, actor, params }) => {
    const name = SITE_TEXTS.find((known) => known === params.name);
    if (name === undefined) throw new AppError("not_found");
    const { content } = values;
    const changed = await changeText(db(), { name, content }, values, actor);
    return {
      to:
        changed.outcome === "previewed" || changed.outcome === "overtaken"
          ? adminPaths.text(name)
          : adminPaths.texts(),
      flash: settingChangeFlash(changed, NAME, sent),
    };
  },
});

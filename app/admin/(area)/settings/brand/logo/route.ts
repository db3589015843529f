import { z } from "zod";
import { db } from "@/db/client";
import { UploadedFileField } from "@/lib/admin/form-fields";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { settingChangeFlash } from "@/lib/auth/setting-change-flash";
import { adminPaths } from "@/lib/paths";
import { changeSetting } from "@/lib/settings/change-setting";
import { storeLogo } from "@/lib/settings/logo";
import { SETTINGS_BY_NAME, settingInForce } from "@/lib/settings/registry";
import { KB } from "@/lib/wire/size";

const NAME = "brand.logo";
const MAX_BYTES = 64 * KB;

/** POST: uploads a logo and shows a preview of the brand with it. The logo is used once the brand is stored. */
export const POST = formRoute({
  name: NAME,
  guard: adminOnly,
  fields: z.object({ logo: UploadedFileField(MAX_BYTES) }),
  page: () => adminPaths.settingsPage("brand"),
  act: async ({ values, actor }) => {
    const logo = await storeLogo(db(), values.logo);
    const after = { ...(await settingInForce(db(), "brand")), logo };
    const changed = await changeSetting(db(), "brand", after, { mark: undefined }, actor);
    const { form, written } = SETTINGS_BY_NAME.brand;
    return { to: adminPaths.settingsPage("brand"), flash: settingChangeFlash(changed, form, written(after)) };
  },
});

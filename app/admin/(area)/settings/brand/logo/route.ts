import { z } from "zod";
import { brandValues } from "@/app/admin/(area)/settings/brand/_components/brand-values";
import { db } from "@/db/client";
import { SentFile } from "@/lib/admin/form-fields";
import { changeBrand, keepLogo, storedBrand } from "@/lib/admin/settings/change-brand";
import { changedFlash } from "@/lib/auth/changed-flash";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";

const NAME = "brand.logo";
const MOST_KB = 64;

/** POST: keeps a logo and shows the brand with it; it is in use once that is stored. */
export const POST = formRoute({
  name: NAME,
  guard: adminOnly,
  fields: z.object({ logo: SentFile(MOST_KB) }),
  page: () => adminPaths.brand(),
  act: async ({ values, actor }) => {
    const logo = await keepLogo(db(), values.logo);
    const after = { ...(await storedBrand(db())), logo };
    const changed = await changeBrand(db(), after, { mark: undefined }, actor);
    return { to: adminPaths.brand(), flash: changedFlash(changed, "brand.save", brandValues(after)) };
  },
});

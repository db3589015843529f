import { z } from "zod";
import { db } from "@/db/client";
import {
  ASKED_FIELDS,
  OptionalColour,
  OptionalEmail,
  OptionalText,
  OptionalUrl,
} from "@/lib/admin/form-fields";
import { changeBrand } from "@/lib/admin/settings/change-brand";
import { changedFlash } from "@/lib/auth/changed-flash";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";
import { LOGO_TYPES } from "@/lib/vocabulary";

const NAME = "brand.save";

const OneLine = OptionalText(60).refine(
  (text) => text === null || !/[\p{Cc}"\\<>]/u.test(text),
  'must be one line without ", \\, < and >',
);

const KeptLogo = z
  .string()
  .default("")
  .transform((text, context) => {
    if (text === "") return null;
    const [, hash, extension] = /^([0-9a-f]{64})\.(png|webp)$/.exec(text) ?? [];
    const mediaType = LOGO_TYPES.find((type) => type === `image/${extension}`);
    if (hash !== undefined && mediaType !== undefined) return { hash, mediaType };
    context.addIssue({ code: "custom", message: "must be a logo that was sent here" });
    return z.NEVER;
  });

/** POST: stores what the service is called and how it looks, after showing where that is seen. */
export const POST = formRoute({
  name: NAME,
  guard: adminOnly,
  fields: z.object({
    name: OneLine,
    logo: KeptLogo,
    accent_light: OptionalColour,
    accent_dark: OptionalColour,
    sender_name: OneLine,
    sender_address: OptionalEmail,
    support_address: OptionalEmail,
    shop_url: OptionalUrl,
    ...ASKED_FIELDS,
  }),
  page: () => adminPaths.brand(),
  act: async ({ values, sent, actor }) => {
    const after = {
      name: values.name,
      logo: values.logo,
      accentLight: values.accent_light,
      accentDark: values.accent_dark,
      senderName: values.sender_name,
      senderAddress: values.sender_address,
      supportAddress: values.support_address,
      shopUrl: values.shop_url,
    };
    const changed = await changeBrand(db(), after, values, actor);
    return { to: adminPaths.brand(), flash: changedFlash(changed, NAME, sent) };
  },
});

import { z } from "zod";
import { db } from "@/db/client";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { sendToChannelAgain } from "@/lib/outbound/channels/recipients";
import { sendMessageAgain } from "@/lib/outbound/telegram/links";
import { sendAgain } from "@/lib/outbound/webhooks/endpoints";
import { adminPaths } from "@/lib/paths";

const Fields = z.object({
  what: z.enum(["webhook", "telegram", "channel"]),
  id: z.string().regex(/^[0-9]{1,15}$/),
});

/** POST: sends a delivery or a message to a chat or channel once more. */
export const POST = formRoute({
  name: "delivery.again",
  guard: adminOnly,
  fields: Fields,
  page: () => adminPaths.outbound(),
  act: async ({ values, actor }) => {
    const id = Number(values.id);
    if (values.what === "webhook") await sendAgain(db(), "administrator", id, actor);
    else if (values.what === "channel") await sendToChannelAgain(db(), id, actor);
    else await sendMessageAgain(db(), id, actor);
    return { to: adminPaths.outbound(), flash: { kind: "done", text: "It is on its way again." } };
  },
});

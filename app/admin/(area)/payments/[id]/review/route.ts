import { z } from "zod";
import { db } from "@/db/client";
import { parseId } from "@/lib/admin/form-fields";
import { reviewDelivery } from "@/lib/admin/review-delivery";
import { adminForm } from "@/lib/auth/admin-form";
import { adminPaths } from "@/lib/paths";

const Fields = z.object({});

/** POST: someone has looked at the flags. */
export const POST = adminForm<typeof Fields, { id: string }>({
  name: "payment.review",
  schema: Fields,
  back: ({ id }) => adminPaths.delivery(Number(id)),
  act: async ({ actor, params }) => {
    const id = parseId(params.id);
    await reviewDelivery(db(), id, actor);
    return { to: adminPaths.delivery(id), flash: { kind: "done", text: "Marked as looked at." } };
  },
});

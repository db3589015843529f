import { z } from "zod";
import { db } from "@/db/client";
import { findSubscriber } from "@/db/queries/admin-subscribers";
import { Id, parseId, UtcMinute } from "@/lib/admin/form-fields";
import { adminPaths } from "@/lib/admin/paths";
import { adminForm } from "@/lib/auth/admin-form";
import { AppError } from "@/lib/errors";
import { extendKey } from "@/lib/keys/extend-key";

const DAY_MS = 86_400_000;

const Fields = z.object({
  key_id: Id,
  expires_at: UtcMinute.optional(),
  /** The button that was pressed: so many days more, or the date in the field. */
  add_days: z.enum(["31", "92", "365"]).optional(),
});

/** POST: moves the end of a key, by a number of days from its end (or from now, when that is past) or to a date. */
export const POST = adminForm<typeof Fields, { id: string }>({
  name: "key.extend",
  schema: Fields,
  back: ({ id }) => adminPaths.subscriber(Number(id)),
  act: async ({ values, actor, params }) => {
    const now = new Date();
    const until =
      values.add_days === undefined
        ? (values.expires_at ?? null)
        : await later(params.id, values.key_id, Number(values.add_days), now);
    await extendKey(db(), values.key_id, until, actor, now);
    return {
      to: adminPaths.subscriber(Number(params.id)),
      flash: {
        kind: "done",
        text:
          until === null
            ? "Access no longer ends."
            : `Access now ends on ${until.toISOString().slice(0, 16).replace("T", ", ")} UTC.`,
      },
    };
  },
});

async function later(id: string, keyId: number, days: number, now: Date): Promise<Date> {
  const subscriber = await findSubscriber(db(), parseId(id) ?? 0);
  const key = subscriber?.keys.find((candidate) => candidate.keyId === keyId);
  if (!key) throw new AppError("not_found", { detail: "There is no key with this id." });
  if (key.expiresAt === null)
    throw new AppError("conflict", { detail: "This access does not end: there is nothing to add to." });
  return new Date(Math.max(now.getTime(), key.expiresAt.getTime()) + days * DAY_MS);
}

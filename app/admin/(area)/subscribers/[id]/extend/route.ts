import { z } from "zod";
import { formatInstant } from "@/app/_components/times";
import { db } from "@/db/client";
import { extendKey } from "@/lib/access/keys/extend-key";
import { Id, UtcMinute } from "@/lib/admin/form-fields";
import { requireKeyOf } from "@/lib/admin/require-key-of";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";
import { DAY_MS } from "@/lib/time";
import { AppError } from "@/lib/wire/errors";

const Fields = z.object({
  key_id: Id,
  expires_at: UtcMinute.optional(),
  /** The button that was pressed: so many days more, or the date in the field. */
  add_days: z.enum(["31", "92", "365"]).optional(),
});

/** POST: moves the end of a key, by a number of days from its end (or from now, when that is past) or to a date. */
export const POST = formRoute({
  name: "key.extend",
  guard: adminOnly,
  fields: Fields,
  page: ({ id }: { id: string }) => adminPaths.subscriber(Number(id)),
  act: async ({ values, actor, params }) => {
    const now = new Date();
    const key = await requireKeyOf(db(), params, values.key_id);
    const until =
      values.add_days === undefined
        ? (values.expires_at ?? null)
        : later(key.expiresAt, Number(values.add_days), now);
    await extendKey(db(), key.keyId, until, actor, now);
    return {
      to: adminPaths.subscriber(Number(params.id)),
      flash: {
        kind: "done",
        text: until === null ? "Access no longer ends." : `Access now ends on ${formatInstant(until)}.`,
      },
    };
  },
});

function later(expiresAt: Date | null, days: number, now: Date): Date {
  if (expiresAt === null)
    throw new AppError("conflict", { detail: "This access does not end: there is nothing to add to." });
  return new Date(Math.max(now.getTime(), expiresAt.getTime()) + days * DAY_MS);
}

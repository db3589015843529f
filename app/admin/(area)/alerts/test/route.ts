import { db } from "@/db/client";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { sendTestAlert } from "@/lib/outbound/alerts/choices";
import { adminPaths } from "@/lib/paths";
import { AppError } from "@/lib/wire/errors";

/** POST: sends the owner a test in the way that they chose. */
export const POST = formRoute({
  name: "alerts.test",
  guard: adminOnly,
  fields: NoFields,
  page: () => adminPaths.alerts(),
  act: async ({ actor }) => {
    if (actor.kind !== "administrator")
      throw new AppError("conflict", { detail: "Sign in as a person to choose your alerts." });
    await sendTestAlert(db(), actor.administratorId, actor);
    return { to: adminPaths.alerts(), flash: { kind: "done", text: "The test is on its way." } };
  },
});

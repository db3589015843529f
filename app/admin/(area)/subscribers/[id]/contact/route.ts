import { z } from "zod";
import { db } from "@/db/client";
import { editContact } from "@/lib/admin/edit-contact";
import { Notes, OptionalEmail, parseId } from "@/lib/admin/form-fields";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";
import { PersonName } from "@/lib/wire/person-name";

const Fields = z.object({ user_name: PersonName, email: OptionalEmail, notes: Notes });

/** POST: changes a subscriber's name, address and notes. */
export const POST = formRoute({
  name: "subscriber.contact",
  guard: adminOnly,
  fields: Fields,
  page: ({ id }: { id: string }) => adminPaths.subscriber(Number(id)),
  act: async ({ values, actor, params }) => {
    const id = parseId(params.id);
    await editContact(
      db(),
      id,
      { userName: values.user_name, email: values.email, notes: values.notes },
      actor,
    );
    return {
      to: adminPaths.subscriber(id),
      flash: { kind: "done", text: "Saved." },
    };
  },
});

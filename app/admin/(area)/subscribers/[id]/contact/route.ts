import { z } from "zod";
import { db } from "@/db/client";
import { editContact } from "@/lib/admin/edit-contact";
import { Notes, OptionalEmail, parseId, UserName } from "@/lib/admin/form-fields";
import { adminForm } from "@/lib/auth/admin-form";
import { adminPaths } from "@/lib/paths";

const Fields = z.object({ user_name: UserName, email: OptionalEmail, notes: Notes });

/** POST: changes a subscriber's name, address and notes. */
export const POST = adminForm<typeof Fields, { id: string }>({
  name: "subscriber.contact",
  schema: Fields,
  back: ({ id }) => adminPaths.subscriber(Number(id)),
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

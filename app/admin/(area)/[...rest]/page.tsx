import { MissingPage } from "@/app/admin/_components/missing-page";
import { requireAdminSession } from "@/lib/auth/require-admin-session";

export const metadata = { title: "Not found" };

/** Unknown addresses below /admin: a 404 with the menu. */
export default async function UnknownPage() {
  await requireAdminSession();
  return <MissingPage />;
}

import { MissingPage } from "@/app/admin/_components/missing-page";
import { requireAdminSession } from "@/lib/auth/require-admin-session";

export const metadata = { title: "Not found" };

/** Any other address below /admin: there is nothing here, and the menu says where there is. */
export default async function UnknownPage() {
  await requireAdminSession();
  return <MissingPage />;
}

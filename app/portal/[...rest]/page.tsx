import { MissingPage } from "@/app/portal/_components/missing-page";
import { requireSubscriber } from "@/lib/auth/require-subscriber";

export const metadata = { title: "Not found" };

/** Any other address below /portal: there is nothing here, and the menu says where there is. */
export default async function UnknownPage() {
  await requireSubscriber({ tryOut: true });
  return <MissingPage />;
}

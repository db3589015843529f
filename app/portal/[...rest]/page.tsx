import { MissingPage } from "@/app/portal/_components/missing-page";
import { requireSubscriber } from "@/lib/auth/require-subscriber";

export const metadata = { title: "Not found" };

/** Unknown addresses below /portal: a 404 with the menu. */
export default async function UnknownPage() {
  await requireSubscriber({ tryOut: true });
  return <MissingPage />;
}

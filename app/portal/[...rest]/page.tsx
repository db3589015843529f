import { notFound } from "next/navigation";
import { requireSubscriber } from "@/lib/auth/require-subscriber";

/** Any other address below /portal: there is nothing here, and the menu says where there is. */
export default async function UnknownPage(): Promise<never> {
  await requireSubscriber();
  notFound();
}

import { SiteTextPage } from "@/app/(site)/_texts/site-text-page";

export const metadata = { title: "Terms" };

/** The operator's text of that name. */
export default function Terms() {
  return <SiteTextPage name="terms" />;
}

import { SiteTextPage } from "@/app/(site)/_texts/site-text-page";

export const metadata = { title: "Risk" };

/** The operator's text of that name. */
export default function Risk() {
  return <SiteTextPage name="risk" />;
}

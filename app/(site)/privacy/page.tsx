import { SiteTextPage } from "@/app/(site)/_texts/site-text-page";

export const metadata = { title: "Privacy" };

/** The operator's text of that name. */
export default function Privacy() {
  return <SiteTextPage name="privacy" />;
}

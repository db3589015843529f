import { SiteTextPage } from "@/app/(site)/_texts/site-text-page";

export const metadata = { title: "Imprint" };

/** The operator's text of that name. */
export default function Imprint() {
  return <SiteTextPage name="imprint" />;
}

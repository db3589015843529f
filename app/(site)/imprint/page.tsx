import { SiteTextPage } from "@/app/(site)/_texts/site-text-page";

export const metadata = { title: "Imprint" };

export default function Imprint() {
  return <SiteTextPage name="imprint" />;
}

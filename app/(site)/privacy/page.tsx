import { SiteTextPage } from "@/app/(site)/_texts/site-text-page";

export const metadata = { title: "Privacy" };

export default function Privacy() {
  return <SiteTextPage name="privacy" />;
}

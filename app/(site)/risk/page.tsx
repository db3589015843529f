import { SiteTextPage } from "@/app/(site)/_texts/site-text-page";

export const metadata = { title: "Risk" };

export default function Risk() {
  return <SiteTextPage name="risk" />;
}

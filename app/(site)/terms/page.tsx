import { SiteTextPage } from "@/app/(site)/_texts/site-text-page";

export const metadata = { title: "Terms" };

export default function Terms() {
  return <SiteTextPage name="terms" />;
}

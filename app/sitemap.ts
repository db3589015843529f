import type { MetadataRoute } from "next";
import { DOCS_PAGES } from "@/app/(site)/docs/(text)/_parts/contents";
import { paths } from "@/lib/paths";
import { env } from "@/lib/runtime/env";

export const dynamic = "force-dynamic";

/** Every public page. */
export default function sitemap(): MetadataRoute.Sitemap {
  const pages = [
    paths.home(),
    paths.record(),
    paths.verify(),
    ...DOCS_PAGES.map(({ href }) => href),
    paths.status(),
    paths.changelog(),
    paths.security(),
  ];
  return pages.map((path) => ({ url: `${env().baseUrl}${path === "/" ? "" : path}` }));
}

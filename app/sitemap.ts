import type { MetadataRoute } from "next";
import { env } from "@/lib/runtime/env";
import { sitemapPaths } from "./pages";

export const dynamic = "force-dynamic";

/** The public pages that app/pages.ts lists, and the pages of the documentation. */
export default function sitemap(): MetadataRoute.Sitemap {
  return sitemapPaths().map((path) => ({ url: `${env().baseUrl}${path === "/" ? "" : path}` }));
}

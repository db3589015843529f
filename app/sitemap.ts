import type { MetadataRoute } from "next";
import { env } from "@/lib/runtime/env";
import { sitemapPaths } from "./pages";

export const dynamic = "force-dynamic";

/** Every public page. */
export default function sitemap(): MetadataRoute.Sitemap {
  return sitemapPaths().map((path) => ({ url: `${env().baseUrl}${path === "/" ? "" : path}` }));
}

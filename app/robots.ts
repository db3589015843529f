import type { MetadataRoute } from "next";
import { env } from "@/lib/runtime/env";

export const dynamic = "force-dynamic";

/** Search engines may read only the public site. */
export default function robots(): MetadataRoute.Robots {
  return {
    rules: { userAgent: "*", allow: "/", disallow: ["/api/", "/admin", "/portal", "/login", "/webhooks/"] },
    sitemap: `${env().baseUrl}/sitemap.xml`,
  };
}

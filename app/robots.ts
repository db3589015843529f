import type { MetadataRoute } from "next";
import { env } from "@/lib/runtime/env";

export const dynamic = "force-dynamic";

/** Search engines read the public site; what needs a key or a sign-in is of no use to them. */
export default function robots(): MetadataRoute.Robots {
  return {
    rules: { userAgent: "*", allow: "/", disallow: ["/api/", "/admin", "/portal", "/login", "/webhooks/"] },
    sitemap: `${env().baseUrl}/sitemap.xml`,
  };
}

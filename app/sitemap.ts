import type { MetadataRoute } from "next";
import { type DocsPage, paths } from "@/lib/paths";
import { env } from "@/lib/runtime/env";

export const dynamic = "force-dynamic";

const DOCS: DocsPage[] = [
  "ea-kit",
  "metatrader",
  "authentication",
  "signals",
  "live",
  "webhooks-out",
  "telegram",
  "executions",
  "limits",
  "errors",
  "webhooks",
  "operations",
  "reference",
];

/** Every public page. */
export default function sitemap(): MetadataRoute.Sitemap {
  const pages = [
    paths.home(),
    paths.record(),
    paths.verify(),
    paths.docs(),
    ...DOCS.map((page) => paths.docs(page)),
    paths.status(),
    paths.changelog(),
    paths.security(),
  ];
  return pages.map((path) => ({ url: `${env().baseUrl}${path === "/" ? "" : path}` }));
}

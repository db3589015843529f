// Must be the first import of every built process, before any package reads the environment. Plain JavaScript,
// because it is copied next to the bundles.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isMainThread } from "node:worker_threads";

// React chooses its files by NODE_ENV at import, and Next sets the variable only later. Mails would then be rendered
// by a partly development build of React.
process.env.NODE_ENV = "production";

// A thread inherits the environment of its process.
if (isMainThread) {
  const file = fileURLToPath(new URL("../.env", import.meta.url));
  if (existsSync(file)) process.loadEnvFile(file);
  // The HTTP server starts the page process and has already checked.
  if (!process.argv[1]?.endsWith("page-server.mjs")) requireChosenData();
}

/**
 * `npm start` is for evaluation: it brings an embedded database and a simulated market. Any other start is
 * production, where a forgotten variable must not cause either.
 */
function requireChosenData() {
  const isSet = (name) => Boolean(process.env[name]?.trim());
  if (globalThis[Symbol.for("signal-delivery-service.npm-start")]) return;
  if (isSet("DATABASE_URL") || isSet("MARKET_FEED")) return;
  // The database's address contains a password and may come from a file or a systemd credential.
  const credentials = process.env.CREDENTIALS_DIRECTORY;
  if (isSet("DATABASE_URL_FILE") || (credentials && existsSync(join(credentials, "DATABASE_URL")))) return;
  process.stderr.write(
    "Neither DATABASE_URL nor MARKET_FEED is set, in the environment or in .env next to .build.\n" +
      "Set DATABASE_URL to your PostgreSQL. To run on an embedded database, set MARKET_FEED=demo\n" +
      "(a simulated market) or MARKET_FEED=off; `npm start` needs neither.\n",
  );
  process.exit(2);
}

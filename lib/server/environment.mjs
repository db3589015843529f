// The first import of every built process, before any package reads the environment. Plain JavaScript that stands
// beside the bundles as it is.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isMainThread } from "node:worker_threads";

// React chooses its files by NODE_ENV when it is imported, and Next sets the variable only afterwards.
// Mails would then be rendered by a React that is half for development.
process.env.NODE_ENV = "production";

// A thread has the environment of its process.
if (isMainThread) {
  const file = fileURLToPath(new URL("../.env", import.meta.url));
  if (existsSync(file)) process.loadEnvFile(file);
  // The front, which starts the page process, has looked already.
  if (!process.argv[1]?.endsWith("page-server.mjs")) requireChosenData();
}

/**
 * `npm start` is for trying things out and brings a database and a simulated market along. A process that is started by
 * itself is in production, where neither may come about by a variable that was forgotten.
 */
function requireChosenData() {
  const isSet = (name) => Boolean(process.env[name]?.trim());
  if (globalThis[Symbol.for("signal-delivery-service.npm-start")]) return;
  if (isSet("DATABASE_URL") || isSet("MARKET_FEED")) return;
  // The address of the database holds a password, and may stand in a file or in one of systemd's credentials.
  const credentials = process.env.CREDENTIALS_DIRECTORY;
  if (isSet("DATABASE_URL_FILE") || (credentials && existsSync(join(credentials, "DATABASE_URL")))) return;
  process.stderr.write(
    "Neither DATABASE_URL nor MARKET_FEED is set, in the environment or in .env beside .build.\n" +
      "Set DATABASE_URL to your PostgreSQL. To run on an embedded database of its own, say so with MARKET_FEED=demo\n" +
      "(a simulated market) or MARKET_FEED=off; `npm start` needs neither.\n",
  );
  process.exit(2);
}

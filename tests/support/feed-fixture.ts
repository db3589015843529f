import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { it } from "vitest";
import { connectionOptions, type Database } from "@/db/client";
import * as schema from "@/db/schema";
import { type CandleServer, startCandleServer } from "./candle-server";
import { createDatabase } from "./database";

/** A candle server and a database for one test. */
export interface FeedFixture {
  server: CandleServer;
  database: Database;
  /** Direct connections for inspecting tables. */
  sql: postgres.Sql;
}

/** `it` with a candle server and a database for each test, so that tests that wait for feeds can run in parallel. */
export const itWithCandleServer = it.extend<{ stage: FeedFixture }>({
  stage: async ({ task: _ }, use) => {
    const { url, drop } = await createDatabase();
    const client = postgres(url, connectionOptions(4, { statementMs: 120_000, lockMs: 10_000 }));
    const sql = postgres(url, { max: 2, onnotice: () => undefined });
    const server = await startCandleServer();
    await use({ server, sql, database: drizzle(client, { schema }) });
    await server.close();
    await Promise.all([client.end(), sql.end()]);
    await drop();
  },
});

import postgres from "postgres";
import { connectionOptions } from "./client";

/** Thrown when the environment variable `variable` contains a pooler's URL where a direct connection is needed. */
export class PoolerError extends Error {
  constructor(variable: string) {
    super(
      `${variable} points to a pooler (such as PgBouncer) that does not keep a connection's limits. ` +
        "Set DATABASE_DIRECT_URL to the address of PostgreSQL itself; DATABASE_URL may then stay with the pooler.",
    );
    this.name = "PoolerError";
  }
}

/** Error code of a pooler that rejects a limit set at connection start. */
const PROTOCOL_VIOLATION = "08P01";
/** Unusual limits: if the connection reports them, it applied them, because no server has them as defaults. */
const LIMITS = { statementMs: 5_003, lockMs: 2_003 };

/** Throws PoolerError if time limits that are set at the start of a connection have no effect, as with a pooler. */
export async function requireDirectConnection(url: string, variable: string): Promise<void> {
  const client = postgres(url, { ...connectionOptions(1, LIMITS), connect_timeout: 5 });
  try {
    const [row] = await client<{ setting: string }[]>`
      select setting from pg_settings where name = 'statement_timeout'`;
    if (row?.setting !== String(LIMITS.statementMs)) throw new PoolerError(variable);
  } catch (error) {
    if (error instanceof postgres.PostgresError && error.code === PROTOCOL_VIOLATION)
      throw new PoolerError(variable);
    throw error;
  } finally {
    await client.end({ timeout: 1 });
  }
}

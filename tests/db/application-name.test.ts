import postgres from "postgres";
import { describe, expect, it } from "vitest";
import { db, workerDb } from "@/db/client";
import { readDatabaseStatus } from "@/db/queries/database-status";
import { API_VERSION } from "@/lib/runtime/version";
import { useDatabase } from "@/tests/support/database";

useDatabase();

/** Checks the other releases that are found while a client with this name is connected. */
async function expectReleasesBeside(applicationName: string, expected: (string | null)[]): Promise<void> {
  const client = postgres(process.env.DATABASE_DIRECT_URL ?? process.env.DATABASE_URL ?? "", {
    max: 1,
    connection: { application_name: applicationName },
  });
  try {
    await client`select 1`;
    await workerDb().execute("select 1");
    // PostgreSQL may list an earlier client for a moment after it has disconnected.
    await expect.poll(async () => (await readDatabaseStatus(db())).otherReleases).toEqual(expected);
  } finally {
    await client.end();
  }
}

describe("releases on the same database", () => {
  it("a process of another release is found by the name of its connection", () =>
    expectReleasesBeside("signal-delivery-service 0.9.0", ["0.9.0"]));

  it("a release that does not name itself is found without a version", () =>
    expectReleasesBeside("signal-delivery-service", [null]));

  it("own processes, connections of a pooler and other programs are no other release", async () => {
    await expectReleasesBeside(`signal-delivery-service ${API_VERSION}`, []);
    await expectReleasesBeside("signal-delivery-service pooled", []);
    await expectReleasesBeside("psql", []);
  });
});

import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closePools } from "@/db/client";
import { migrateDatabase } from "@/db/migrate";
import { closeReplica, readAtReplica, readReplicaState } from "@/db/replica";
import { env } from "@/lib/runtime/env";
import { forgetProcessValue } from "@/lib/runtime/process-wide";
import { call, makeKey } from "@/tests/support/api";
import { testEnvironment } from "@/tests/support/database";
import { hourlyCandleOpenTime, ingest, signalItem } from "@/tests/support/market-data";
import {
  connectAsSuperuser,
  postgresPrograms,
  type RunningPostgres,
  startPostgres,
  startReplica,
} from "@/tests/support/replica";
import { waitUntil } from "@/tests/support/server";

// Skipped without a system PostgreSQL, because the embedded one has no pg_basebackup.
describe.skipIf(postgresPrograms === null)("a streaming replica", { timeout: 60_000 }, () => {
  let primary: RunningPostgres;
  let replica: RunningPostgres;
  let onReplica: postgres.Sql;
  let key: string;

  const PLACE = { symbol: "EURUSD", timeframe: "H1", signal: "BUY", entry_price: 1.1 };
  const report = (ticket: number) => call("POST", "/api/executions", { key, body: { ticket, ...PLACE } });
  const listed = async (): Promise<number> =>
    (await call("GET", "/api/account/executions", { key })).json.summary.n_total;
  const commitSignal = async (n: number) => {
    await ingest("signals", [signalItem({ ts: hourlyCandleOpenTime(30 - n) })]);
  };
  const signalled = async (): Promise<number> =>
    (await call("GET", "/api/account/signals?days=7", { key })).json.count;
  const whereItReads = () =>
    readAtReplica(async (database) => {
      const rows = await database.execute<{ isReplica: boolean }>(
        'select pg_is_in_recovery() as "isReplica"',
      );
      return rows[0]?.isReplica ? "replica" : "database";
    });
  /** Waits until reads go to the replica, which is skipped for five seconds after a failure and while it lags. */
  const takenAgain = () =>
    waitUntil(async () => {
      // A new commit that the replica replays shows that it follows.
      await report(1);
      return (await whereItReads()) === "replica";
    }, 15_000);

  beforeAll(async () => {
    primary = await startPostgres();
    const admin = connectAsSuperuser(primary);
    await admin`create role signals login password 'signals'`;
    await admin`create database signals owner signals`;
    await admin.end();
    const url = primary.url("signals", "signals", "signals");
    await migrateDatabase(url);
    replica = await startReplica(primary);
    onReplica = connectAsSuperuser(replica);
    Object.assign(process.env, testEnvironment(url), {
      DATABASE_REPLICA_URL: replica.url("signals", "signals", "signals"),
    });
    ({ key } = await makeKey({}));
  });
  afterAll(async () => {
    await closeReplica();
    await closePools();
    await onReplica?.end();
    await replica?.stop("SIGQUIT");
    await primary?.stop("SIGQUIT");
  });

  it("a streaming replica answers reads with everything committed before", async () => {
    const before = (await readReplicaState())?.reads ?? 0;
    for (let n = 1; n <= 10; n++) {
      await commitSignal(n);
      expect(await signalled()).toBe(n);
      // A subscriber's own executions are read from the primary.
      expect((await report(n)).status).toBe(201);
      expect(await listed()).toBe(n);
    }
    await takenAgain();
    for (const path of [
      "/api/performance",
      "/api/calibration",
      "/api/history/predictions",
      "/api/public/record",
    ])
      expect((await call("GET", path, { key })).status, path).toBe(200);
    const state = await readReplicaState();
    expect(state).toMatchObject({ state: "follows", failed: 0 });
    expect((state?.reads ?? 0) - before).toBeGreaterThan(4);
  });

  it("a streaming replica is skipped while it lags, and its lag is shown", async () => {
    await onReplica`select pg_wal_replay_pause()`;
    await commitSignal(11);
    expect(await signalled()).toBe(11);
    expect(await whereItReads()).toBe("database");
    const state = await readReplicaState();
    expect(state?.behind).toBeGreaterThan(0);
    expect(state?.behindBytes).toBeGreaterThan(0);
    expect(state?.behindSeconds).toBeGreaterThan(0);
    // /api/status shows a state that is some seconds old.
    await waitUntil(
      async () => (await call("GET", "/api/status", { key })).json.replica.behind_bytes > 0,
      20_000,
    );
    const { json } = await call("GET", "/api/status", { key });
    expect(json.replica).toMatchObject({ state: "follows", behind_seconds: expect.any(Number) });
    await onReplica`select pg_wal_replay_resume()`;
    await waitUntil(async () => (await readReplicaState())?.behindBytes === 0, 10_000);
    await takenAgain();
  });

  it("a streaming replica is skipped when it stops midway, and used again when it returns", async () => {
    let asked = 0;
    const value = await readAtReplica(async (database) => {
      if (asked++ === 0) await replica.stop("SIGQUIT");
      await database.execute("select 1");
      return "read";
    });
    expect([value, asked]).toEqual(["read", 2]);
    expect((await report(11)).status).toBe(201);
    expect(await listed()).toBe(11);
    expect(await readReplicaState()).toMatchObject({ state: "silent", behindBytes: null });
    await replica.start();
    await takenAgain();
    expect(await listed()).toBe(11);
  });

  it("a streaming replica is not skipped because the primary failed", async () => {
    const before = await readReplicaState();
    await primary.stop("SIGQUIT");
    await expect(whereItReads()).rejects.toThrow();
    await primary.start();
    await waitUntil(async () => (await report(11)).status === 201, 15_000);
    await takenAgain();
    expect((await readReplicaState())?.failed).toBe(before?.failed);
  });

  it("a streaming replica does not decide about access: a rotated key is refused at once while the replica lags", async () => {
    await onReplica.end();
    onReplica = connectAsSuperuser(replica);
    await onReplica`select pg_wal_replay_pause()`;
    const rotated = await call("POST", "/api/account/regenerate-key", { key });
    expect(rotated.status).toBe(200);
    expect((await call("GET", "/api/account/executions", { key })).status).toBe(401);
    key = rotated.json.api_key;
    expect(await listed()).toBe(11);
    await onReplica`select pg_wal_replay_resume()`;
  });

  it("a streaming replica is not read when it holds another database or was promoted", async () => {
    await takenAgain();
    await onReplica`select pg_promote()`;
    expect(await whereItReads()).toBe("database");
    expect(await readReplicaState()).toMatchObject({ state: "apart" });

    const other = await startPostgres();
    try {
      await closeReplica();
      const admin = connectAsSuperuser(other);
      await admin`create role signals login password 'signals'`;
      await admin`create database signals owner signals`;
      await admin.end();
      process.env.DATABASE_REPLICA_URL = other.url("signals", "signals", "signals");
      forgetProcessValue("env", env());
      expect(await whereItReads()).toBe("database");
      expect(await readReplicaState()).toMatchObject({ state: "apart" });
      expect(await listed()).toBe(11);
    } finally {
      await closeReplica();
      await other.stop("SIGQUIT");
    }
  });
});

import { expect, it } from "vitest";
import { db } from "@/db/client";
import { revokeKey } from "@/lib/access/keys/revoke-key";
import { changeHub } from "@/lib/api/watch/change-hub";
import { apiApp } from "@/lib/server/api-app";
import { MOUNTS } from "@/lib/server/mounts";
import { makeKeys } from "@/tests/bench/service";
import { call } from "@/tests/support/api";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { Dice } from "@/tests/support/dice";
import { hourlyCandleOpenTime, signalItem } from "@/tests/support/market-data";
import { TEST_SEED } from "@/tests/support/run-named";
import { waitUntil } from "@/tests/support/server";
import { readEventStream } from "@/tests/support/stream";

useDatabase();

/** Number of keys that end while signals arrive; ENDED_KEYS=10000 takes some minutes. */
const TRIES = Number(process.env.ENDED_KEYS ?? 90);
const TOGETHER = 30;
const WAYS = ["revoked", "rotated", "expired"] as const;
const app = apiApp(MOUNTS);

let turn = 0;
async function ingest(): Promise<void> {
  const items = [signalItem({ ts: hourlyCandleOpenTime(0), model_v: `e${turn++}` })];
  const answer = await call("POST", "/admin/ingest/signals", { admin: true, body: { items } });
  expect(answer.status, answer.text).toBe(200);
}

it("a stream sends no signal committed after its key was revoked, rotated or expired, and closes with an end event", {
  timeout: 60_000 + 100 * TRIES,
}, async () => {
  const seed = TEST_SEED;
  const dice = new Dice(seed);
  const sql = connectDirectly();
  let late = 0;
  let told = 0;
  let ended = 0;
  for (let from = 0; from < TRIES; from += TOGETHER) {
    const keys = await makeKeys(sql, Math.min(TOGETHER, TRIES - from), "pro");
    const streams = await Promise.all(
      keys.map(async (key) => {
        const headers = { "X-API-Key": key };
        return {
          key,
          stream: readEventStream(await app.fetch(new Request("http://localhost/api/stream", { headers }))),
        };
      }),
    );
    let isIngesting = true;
    const writer = (async () => {
      while (isIngesting) await ingest();
    })();
    await Promise.all(
      streams.map(async ({ key, stream }, n) => {
        await new Promise((done) => setTimeout(done, dice.below(400)));
        await end(key, WAYS[(from + n) % WAYS.length] ?? "revoked");
        // Read after the key's end was committed, so that any signal with a higher number was committed after the end.
        const [row] = await sql<{ n: number }[]>`select last_seq::float8 as n from state_versions`;
        await stream.ended;
        const seen = stream.events.flatMap(({ event, id }) =>
          event === "signal" && id !== null ? [id] : [],
        );
        told += seen.length;
        late += seen.filter((seq) => seq > (row?.n ?? 0)).length;
        if (stream.events.at(-1)?.event === "end") ended++;
      }),
    );
    isIngesting = false;
    await writer;
    await waitUntil(async () => changeHub().size === 0, 5_000);
  }
  if (TRIES > 90) process.stdout.write(`${TRIES} keys ended, ${told} signals told, ${late} late\n`);
  expect([late, ended], `seed ${seed}`).toEqual([0, TRIES]);
  expect(told).toBeGreaterThan(0);
  await sql.end();

  async function end(key: string, way: (typeof WAYS)[number]): Promise<void> {
    if (way === "rotated") {
      expect((await call("POST", "/api/account/regenerate-key", { key })).status).toBe(200);
      return;
    }
    const [row] = await sql<{ id: number }[]>`
      select id from api_keys where key_hash = encode(sha256(${key}::bytea), 'hex')`;
    if (way === "expired") await sql`update api_keys set expires_at = now() where id = ${row?.id ?? 0}`;
    else await revokeKey(db(), row?.id ?? 0, { kind: "command" });
  }
});

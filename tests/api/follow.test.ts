import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { listSubscriberPauses } from "@/db/queries/subscriber-pauses";
import {
  FollowError,
  type FollowOptions,
  followScan,
  followStream,
  isPaused,
  type Pauses,
} from "@/lib/api/client";
import { apiApp } from "@/lib/server/api-app";
import { MOUNTS } from "@/lib/server/mounts";
import { pauseOwnTrading, resumeOwnTrading } from "@/lib/subscribers/own-pauses";
import type { Timeframe } from "@/lib/vocabulary";
import { call, makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { hourlyCandleOpenTime, signalItem } from "@/tests/support/market-data";
import { waitUntil } from "@/tests/support/server";

useDatabase();

const baseUrl = "http://localhost";
const app = apiApp(MOUNTS);

let turn = 0;
async function ingest(): Promise<void> {
  const items = [signalItem({ ts: hourlyCandleOpenTime(0), model_v: `m${turn++}` })];
  const answer = await call("POST", "/admin/ingest/signals", { admin: true, body: { items } });
  expect(answer.status, answer.text).toBe(200);
}

/** Calls the service in this process, and breaks each stream off after its first signal. */
async function overBreaking(request: Request): Promise<Response> {
  const response = await app.fetch(request);
  if (response.status !== 200 || !response.body) return response;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let isOver = false;
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      if (isOver) {
        await reader.cancel();
        return controller.error(new Error("the connection broke"));
      }
      const { done, value } = await reader.read();
      if (done) return controller.close();
      isOver = decoder.decode(value).includes("event: signal");
      controller.enqueue(value);
    },
    cancel: () => reader.cancel(),
  });
  return new Response(body, { status: 200, headers: response.headers });
}

let key: string;
let keyId: number;
beforeAll(async () => {
  ({ key, keyId } = await makeKey());
  await ingest();
});

describe("the typed client", () => {
  it("follows the stream across reconnects without losing or repeating a signal, until the key ends", async () => {
    const seen: number[] = [];
    const options = { baseUrl, apiKey: key, fetch: overBreaking };
    const following = (async () => {
      for await (const event of followStream(options, 0)) {
        if (event.event !== "signal") continue;
        seen.push(event.seq);
        if (event.seq < 5) await ingest();
        else await call("DELETE", `/admin/keys/${keyId}`, { admin: true });
      }
    })();
    await expect(following).rejects.toMatchObject({ name: "FollowError", status: 401, code: "key_revoked" });
    expect(seen).toEqual([1, 2, 3, 4, 5]);
  });

  it("follows the list of signals by long polling and ends when aborted", async () => {
    const made = await makeKey();
    const stop = new AbortController();
    const versions: string[] = [];
    const options = {
      baseUrl,
      apiKey: made.key,
      signal: stop.signal,
      fetch: (request: Request) => app.fetch(request),
    };
    for await (const scan of followScan(options, { waitSeconds: 20 })) {
      versions.push(scan.items[0]?.model_v ?? "");
      if (versions.length === 3) stop.abort();
      else await ingest();
    }
    expect(new Set(versions).size).toBe(3);
  });

  it("followScan yields the list of signals again when the subscriber starts or ends a pause", async () => {
    const made = await makeKey();
    const [row] = await db().execute<{ id: number }>(
      sql`select subscription_id as id from api_keys where id = ${made.keyId}`,
    );
    const subscriptionId = row?.id ?? 0;
    const stop = new AbortController();
    const options = {
      baseUrl,
      apiKey: made.key,
      signal: stop.signal,
      fetch: (one: Request) => app.fetch(one),
    };
    const actor = { kind: "worker" } as const;
    const told: Pauses[] = [];
    for await (const { paused, items } of followScan(options, { waitSeconds: 1 })) {
      told.push(paused);
      const [signal] = items;
      if (signal === undefined) throw new Error("no signal");
      expect(isPaused(paused, signal)).toBe(told.length === 2 || told.length === 4);
      const [open] = await listSubscriberPauses(db(), subscriptionId);
      if (told.length === 1)
        await pauseOwnTrading(
          db(),
          subscriptionId,
          { symbol: signal.symbol, timeframe: signal.timeframe as Timeframe },
          actor,
        );
      else if (told.length === 3)
        await pauseOwnTrading(db(), subscriptionId, { symbol: null, timeframe: null }, actor);
      else if (told.length === 5) stop.abort();
      else await resumeOwnTrading(db(), subscriptionId, open?.id ?? 0, actor);
    }
    expect(told.map((paused) => Object.keys(paused))).toEqual([[], ["EURUSD/H1"], [], ["all"], []]);
  });

  it.each([
    ["stream", (options: FollowOptions) => followStream(options)],
    ["list", (options: FollowOptions) => followScan(options)],
  ])(
    "ends the following of a %s when aborted, even while idle and after garbage collection",
    async (_, follow) => {
      setFlagsFromString("--expose-gc");
      const collectGarbage: () => void = runInNewContext("gc");
      let asked = 0;
      const server = createServer((request, response) => {
        asked++;
        if (request.url?.startsWith("/api/stream")) response.writeHead(200).write(": \n\n");
      });
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
      // The address of a listening TCP server is an object.
      const { port } = server.address() as AddressInfo;
      const stop = new AbortController();
      const next = follow({ baseUrl: `http://127.0.0.1:${port}`, apiKey: "k", signal: stop.signal }).next();
      await waitUntil(async () => asked === 1, 10_000);
      for (let turn = 0; turn < 5; turn++) {
        await new Promise((done) => setTimeout(done, 20));
        collectGarbage();
      }
      stop.abort();
      expect(await next).toEqual({ done: true, value: undefined });
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  );

  it("following the stream with a revoked key throws FollowError", async () => {
    const following = followStream({ baseUrl, apiKey: key, fetch: (request) => app.fetch(request) }, 999_999);
    await expect(following.next()).rejects.toBeInstanceOf(FollowError);
  });
});

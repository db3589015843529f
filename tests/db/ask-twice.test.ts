import postgres from "postgres";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { askTwice } from "@/db/ask-twice";
import { createDatabase } from "@/tests/support/database";
import { waitUntil } from "@/tests/support/server";
import { openProxyTo, type TcpProxy } from "@/tests/support/tcp-proxy";

const LATE_MS = 200;
let database: Awaited<ReturnType<typeof createDatabase>>;
let proxy: TcpProxy;
let address: string;
const opened: postgres.Sql[] = [];
beforeAll(async () => {
  database = await createDatabase();
  ({ proxy, through: address } = await openProxyTo(database.url));
});
afterEach(async () => {
  proxy.welcome("pass");
  for (const client of opened.splice(0)) await client.end({ timeout: 0 });
});
afterAll(async () => {
  await proxy.cut();
  await database.drop();
});

const open = () => {
  const client = postgres(address, { max: 1 });
  opened.push(client);
  return client;
};
const ask = async (client: postgres.Sql) => (await client<{ n: number }[]>`select 7 as n`)[0]?.n;
const backends = async () => {
  const own = postgres(database.url, { max: 1 });
  const [row] = await own<{ n: number }[]>`
    select count(*)::int as n from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
  await own.end();
  return row?.n ?? 0;
};

it("asks once what is answered in time", async () => {
  const client = open();
  expect(await askTwice(client, open, LATE_MS, ask).answered).toEqual({ answer: 7, client });
  await new Promise((done) => setTimeout(done, 2 * LATE_MS));
  expect(opened).toEqual([client]);
});

it("takes the answer of a new connection when the old one keeps silent, and lets go of the old one", async () => {
  const silent = open();
  await ask(silent);
  proxy.silence();
  const startedAt = performance.now();
  const { answer, client } = await askTwice(silent, open, LATE_MS, ask).answered;
  expect(answer).toBe(7);
  expect(performance.now() - startedAt).toBeGreaterThan(LATE_MS - 60);
  expect(client).toBe(opened[1]);
  await expect(ask(silent)).rejects.toMatchObject({ code: "CONNECTION_ENDED" });
});

it("takes the answer of the old connection when it was only late, and leaves no other open", async () => {
  const late = open();
  await ask(late);
  const slowly = async (client: postgres.Sql) => {
    await client`select pg_sleep(${client === late ? 0.4 : 3})`;
    return ask(client);
  };
  expect((await askTwice(late, open, LATE_MS, slowly).answered).client).toBe(late);
  expect(opened.length).toBe(2);
  await waitUntil(async () => (await backends()) === 1, 5_000);
});

it("fails as the old connection did when neither answers, and not before the new one did", async () => {
  const first = open();
  const failing = async (client: postgres.Sql) => {
    await new Promise((done) => setTimeout(done, LATE_MS + 100));
    throw new Error(client === first ? "first" : "second");
  };
  const startedAt = performance.now();
  await expect(askTwice(first, open, LATE_MS, failing).answered).rejects.toThrow("first");
  expect(performance.now() - startedAt).toBeGreaterThan(2 * LATE_MS);
  // At once when nobody else was asked yet.
  const wrong = async (client: postgres.Sql) => client`select 1 / 0`;
  await expect(askTwice(open(), open, 5_000, wrong).answered).rejects.toMatchObject({ code: "22012" });
});

it("ends both when it is given up", async () => {
  const first = open();
  await ask(first);
  proxy.welcome("silence");
  proxy.silence();
  const { answered, giveUp } = askTwice(first, open, LATE_MS, ask);
  answered.catch(() => undefined);
  await waitUntil(async () => opened.length === 2, 2_000);
  giveUp();
  for (const client of opened) await expect(ask(client)).rejects.toMatchObject({ code: "CONNECTION_ENDED" });
});

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type postgres from "postgres";
import { startEmbeddedDatabase } from "@/db/embedded/cluster";
import { makeKeys, startBenchService } from "@/tests/bench/service";
import { type RunningServer, startServer } from "@/tests/support/server";
import { JournalledClient } from "./journal";

const CLIENTS = 4;

/** kill -9 of the application during writes, again and again. FAULT_ROUNDS sets how often (default 50). */
export async function killApplication(): Promise<string[]> {
  const rounds = Number(process.env.FAULT_ROUNDS ?? 50);
  const service = await startBenchService();
  let server: RunningServer = service.server;
  const clients = await startClients(service.sql, () => server.url);
  for (let round = 0; round < rounds; round++) {
    await new Promise((done) => setTimeout(done, 100 + (round % 7) * 50));
    await server.kill();
    server = await startServer(service.databaseUrl, { LOG_LEVEL: "warn" });
  }
  const lines = await judge(service.sql, clients, `${rounds} kills of the application`);
  await server.stop();
  await service.stop();
  return lines;
}

/** Immediate stop of PostgreSQL (as after a power cut) during writes. FAULT_ROUNDS sets how often (default 20). */
export async function stopDatabase(): Promise<string[]> {
  const rounds = Number(process.env.FAULT_ROUNDS ?? 20);
  const service = await startBenchService();
  const directory = process.env.TEST_DIRECTORY ?? "";
  const clients = await startClients(service.sql, () => service.server.url);
  let slowestMs = 0;
  for (let round = 0; round < rounds; round++) {
    await new Promise((done) => setTimeout(done, 200 + (round % 5) * 50));
    const [pid] = readFileSync(join(directory, "postgres/postmaster.pid"), "utf8").split("\n");
    // SIGQUIT is PostgreSQL's immediate shutdown: no checkpoint, recovery from the log at the next start.
    execFileSync("kill", ["-QUIT", pid ?? ""]);
    await new Promise((done) => setTimeout(done, 300));
    await startEmbeddedDatabase(directory);
    const from = performance.now();
    while (!(await answersAgain(service.server.url))) await new Promise((done) => setTimeout(done, 50));
    slowestMs = Math.max(slowestMs, performance.now() - from);
  }
  const lines = await judge(service.sql, clients, `${rounds} immediate stops of PostgreSQL`);
  await service.stop();
  return [...lines, `slowest recovery after the database was back: ${Math.round(slowestMs)} ms`];
}

/**
 * Two instances over one database, stopped and started in turn every ten seconds: a client that tries the other one
 * when one does not answer gets every answer. FAULT_ROUNDS sets how many restarts (default 12).
 */
export async function restartInTurn(): Promise<string[]> {
  const rounds = Number(process.env.FAULT_ROUNDS ?? 12);
  const service = await startBenchService();
  const another = () => startServer(service.databaseUrl, { LOG_LEVEL: "warn" });
  const servers = [service.server, await another()];
  const clients = await startClients(service.sql, (turn) => servers[turn % 2]?.url ?? "");
  for (let round = 0; round < rounds; round++) {
    await new Promise((done) => setTimeout(done, 10_000));
    const code = await servers[round % 2]?.stop();
    if (code !== 0) throw new Error(`the process ended with ${code}`);
    servers[round % 2] = await another();
  }
  const lines = await judge(service.sql, clients, `${rounds} restarts of one of two instances`);
  for (const server of servers) await server.stop();
  await service.stop();
  if (clients.some((client) => client.mostRepeats > 1)) throw new Error("one retry was not enough");
  return [...lines, "no report needed more than one retry"];
}

async function answersAgain(url: string): Promise<boolean> {
  // An unknown key is answered 401 only when the key store was really asked.
  const answer = await fetch(`${url}/api/scan`, { headers: { "X-API-Key": crypto.randomUUID() } }).catch(
    () => null,
  );
  return answer !== null && (answer.status === 401 || answer.status === 429);
}

/** Clients with a key each, trading already. */
export async function startClients(
  sql: postgres.Sql,
  address: (turn: number) => string,
): Promise<JournalledClient[]> {
  const keys = await makeKeys(sql, CLIENTS, "owner");
  await sql`update api_keys set rate_limit_per_min = 100000`;
  const clients = keys.map((key) => new JournalledClient(address, key));
  for (const client of clients) client.start();
  return clients;
}

/** Stops the clients and holds their journals against the table. Returns the lines to print. */
export async function judge(sql: postgres.Sql, clients: JournalledClient[], what: string): Promise<string[]> {
  for (const client of clients) await client.stop();
  const owners = await sql<{ subscription_id: number }[]>`select subscription_id from api_keys order by id`;
  for (const [index, client] of clients.entries()) {
    await client.judge(sql, owners[index]?.subscription_id ?? 0);
  }
  const total = (count: (client: JournalledClient) => number) =>
    clients.reduce((sum, client) => sum + count(client), 0);
  return [
    what,
    `${total((client) => client.opened.size)} openings and ${total((client) => client.closed.size)} closings acknowledged: 0 lost, 0 doubled`,
    `${total((client) => client.unanswered)} attempts without an answer, all repeated`,
  ];
}

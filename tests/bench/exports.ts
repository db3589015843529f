import type postgres from "postgres";
import { signInByForm } from "@/tests/support/sign-in";
import { residentMb } from "./memory";
import { makeKeys, startBenchService } from "./service";

const READERS = 8;
/** Number of positions of the first subscriber, who starts eight downloads at once. */
const HEAVY = 500_000;
/** Number of positions of each other subscriber. */
const OTHERS = 70_000;
const MAX_MB = 64;
const SAMPLE_MS = 50;

const DOWNLOADS = ["/portal/executions/export", "/portal/settings/my-data"];

/**
 * Measures a process's memory while eight subscribers download long histories at once, one of them with half a million
 * executions and eight downloads. Throws unless each subscriber gets one download, every further one 429, and memory
 * grows by at most MAX_MB.
 */
export async function benchExports(): Promise<string[]> {
  const service = await startBenchService({ WORKER: "none", MARKET_FEED: "off" });
  try {
    const keys = await makeKeys(service.sql, READERS, "owner");
    await fillExecutions(service.sql);
    const { url, pid } = service.server;
    const cookies = await Promise.all(
      keys.map((key) => signInByForm(url, "/login/by-key", { api_key: key })),
    );
    // Creates process-wide caches before the measurement.
    for (const path of DOWNLOADS) await download(url + path, cookies.at(-1) ?? "");
    await pause(5_000);
    const lines: string[] = [];
    let isKept = true;
    for (const path of DOWNLOADS) {
      const beforeMb = residentMb(pid);
      let mostMb = beforeMb;
      const sampling = setInterval(() => {
        mostMb = Math.max(mostMb, residentMb(pid));
      }, SAMPLE_MS);
      const startedAt = performance.now();
      const asked = [...cookies, ...Array<string>(READERS - 1).fill(cookies[0] ?? "")];
      const answers = await Promise.all(asked.map((cookie) => download(url + path, cookie)));
      clearInterval(sampling);
      const seconds = (performance.now() - startedAt) / 1_000;
      const told = answers.filter(({ status }) => status === 200);
      const refused = answers.filter(({ status }) => status === 429);
      const sentMb = answers.reduce((sum, { bytes }) => sum + bytes, 0) / 1_048_576;
      lines.push(
        `${path}: ${told.length} of ${asked.length} at once sent ${sentMb.toFixed(0)} MB in ${seconds.toFixed(1)} s, ${refused.length} told to wait for their own; ${beforeMb.toFixed(0)} MB before, ${(mostMb - beforeMb).toFixed(0)} MB more at most`,
      );
      isKept &&= told.length === READERS && refused.length === READERS - 1 && mostMb - beforeMb <= MAX_MB;
    }
    if (!isKept) throw new Error(lines.join("\n"));
    return lines;
  } finally {
    await service.stop();
  }
}

/** Inserts executions of every subscriber, without triggers and foreign keys, which would only cost time. */
async function fillExecutions(sql: postgres.Sql): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`set local synchronous_commit = off`;
    await tx`
      insert into executions
        (subscription_id, ticket, symbol, symbol_sent, timeframe, signal, opened_at, closed_at, entry_price, exit_price, pnl, result)
      select s.id, n, 'EURUSD', 'EURUSD.m', 'H1', 'BUY', now() - n * interval '1 minute',
             now() - n * interval '1 minute' + interval '50 seconds', 1.1, 1.2, (n % 200 - 95) / 10.0, 'TP'
        from subscriptions s,
             generate_series(1, case when s.id = (select min(id) from subscriptions) then ${HEAVY}::int else ${OTHERS}::int end) n`;
  });
  await sql`vacuum analyze executions`;
}

/** Downloads an answer and discards it. */
async function download(address: string, cookie: string): Promise<{ status: number; bytes: number }> {
  const answer = await fetch(address, { headers: { Cookie: cookie } });
  let bytes = 0;
  if (answer.body) for await (const piece of answer.body) bytes += piece.length;
  return { status: answer.status, bytes };
}

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

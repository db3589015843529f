import postgres from "postgres";
import { startEmbeddedDatabase } from "@/db/embedded/cluster";
import { migrateDatabase } from "@/db/migrate";
import { testEnvironment } from "@/tests/support/database";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { runPaymentSequences } from "./payment-sequences";

/**
 * 10,000 random sequences of deliveries (or PAYMENT_SEQUENCES) on a fresh database, held against the written rules.
 * The seed is PAYMENT_SEED or drawn, and is in the message of a difference. Returns the lines to print last.
 */
export async function fuzzPayments(): Promise<string[]> {
  const directory = temporaryDirectory("signal-fuzz-");
  process.env.TEST_DIRECTORY = directory;
  const embedded = await startEmbeddedDatabase(directory);
  await migrateDatabase(embedded.url);
  Object.assign(process.env, testEnvironment(embedded.url, { LOG_LEVEL: "warn" }));
  const sql = postgres(embedded.url, { max: 2, onnotice: () => undefined });
  const seed = Number(process.env.PAYMENT_SEED ?? Math.floor(Math.random() * 2 ** 31));
  const sequences = Number(process.env.PAYMENT_SEQUENCES ?? 10_000);
  const startedAt = performance.now();
  try {
    const report = await runPaymentSequences(sql, { sequences, seed, lanes: 4 });
    const seconds = (performance.now() - startedAt) / 1000;
    return [
      `seed ${seed}: ${report.sequences} sequences, ${report.deliveries} deliveries, ${report.batches} times several at once, no difference, ${seconds.toFixed(0)} s`,
    ];
  } finally {
    await sql.end({ timeout: 2 });
    await embedded.stop();
  }
}

import postgres from "postgres";
import { startEmbeddedDatabase } from "@/db/embedded/cluster";
import { migrateDatabase } from "@/db/migrate";
import { testEnvironment } from "@/tests/support/database";
import type { RunOptions } from "@/tests/support/run-named";
import { writeWithoutWaiting } from "@/tests/support/suite-database";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { runArrivalOrders } from "./arrival-orders";
import { runLatePayments } from "./late-payments";
import { checkPaidTime } from "./paid-time";
import { runPaymentSequences } from "./payment-sequences";

const LEDGERS = 100_000;

/**
 * Compares with the specified rules: 100,000 random ledgers of paid time; 10,000 random sequences of deliveries (or
 * `--requests`) on a new database; for every ten sequences one purchase in two orders of arrival and one subscriber who
 * pays late. The message of a difference contains the seed. Returns the lines to print at the end.
 */
export async function fuzzPayments({ seed, requests, minutes }: RunOptions): Promise<string[]> {
  checkPaidTime(seed, LEDGERS);
  const directory = temporaryDirectory("signal-fuzz-");
  process.env.TEST_DIRECTORY = directory;
  const embedded = await startEmbeddedDatabase(directory);
  await migrateDatabase(embedded.url);
  // Only the answers matter, so a busy machine may take long.
  Object.assign(
    process.env,
    testEnvironment(embedded.url, { LOG_LEVEL: "error", TUNING: "timeout-factor=10" }),
  );
  const sql = postgres(embedded.url, { max: 2, onnotice: () => undefined });
  try {
    await writeWithoutWaiting(sql);
    const report = await runPaymentSequences(sql, {
      sequences: requests ?? 10_000,
      seed,
      lanes: 4,
      ...(minutes === null ? {} : { mostMs: minutes * 60_000 }),
    });
    const orders = await runArrivalOrders(sql, {
      purchases: Math.ceil(report.sequences / 10),
      seed,
      lanes: 4,
    });
    const late = await runLatePayments(sql, { subscribers: orders.purchases, seed, lanes: 4 });
    return [
      `${LEDGERS} ledgers of paid time, no difference`,
      `${report.sequences} sequences, ${report.deliveries} deliveries, ${report.batches} times several at once, no difference`,
      `${orders.purchases} purchases in two orders of arrival, ${orders.deliveries} deliveries, no difference`,
      `${late.subscribers} subscribers who pay late, ${late.payments} payments, no day given that was not paid`,
      `by platform: ${Object.entries(report.platforms)
        .map(([name, n]) => `${name} ${n}`)
        .join(", ")}`,
    ];
  } finally {
    await sql.end({ timeout: 2 });
    await embedded.stop();
  }
}

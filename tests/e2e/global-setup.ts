import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { isEmbeddedDatabaseDown, pickFreePort } from "@/db/embedded/cluster";
import { embeddedDatabaseUrl } from "@/db/embedded/cluster-file";
import { RUNNING_SERVICES_VARIABLE, type RunningService, SERVICE_NAMES } from "@/tests/e2e/service";
import { type OidcProvider, startOidcProvider } from "@/tests/support/oidc-provider";
import { PLATFORM_ENVIRONMENT } from "@/tests/support/platform-fixtures";
import { waitUntil } from "@/tests/support/server";
import { BOT_TOKEN, startTelegram, type TelegramDouble } from "@/tests/support/telegram-double";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface StartedService extends RunningService {
  child: ChildProcess;
  telegram: TelegramDouble;
  provider: OidcProvider;
}

/** Starts one installation per service. All are copies of one that has simulated its past, which takes half a minute. */
export default async function setup() {
  const original = newDataDir();
  const prepared = await start(original, async (baseUrl) => {
    await pastIsEntered(baseUrl);
    await trainOneSlotOnly(original);
  });
  await stop(prepared);
  // A service that stops late exits before its database, whose files must not be copied while they change.
  await waitUntil(async () => isEmbeddedDatabaseDown(original), 60_000);
  const dataDirs = SERVICE_NAMES.map(() => copyOf(original));
  rmSync(original, { recursive: true, force: true });
  const starts = await Promise.allSettled(dataDirs.map((dataDir) => start(dataDir)));
  const started = starts.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const failed = starts.find((each) => each.status === "rejected");
  const stopAll = async () => {
    await Promise.all(started.map(stop));
    for (const dataDir of dataDirs) rmSync(dataDir, { recursive: true, force: true });
  };
  if (failed) {
    await stopAll();
    throw failed.reason;
  }
  const services: RunningService[] = started.map(
    ({ child: _, telegram: __, provider: ___, ...service }) => service,
  );
  process.env[RUNNING_SERVICES_VARIABLE] = JSON.stringify(
    Object.fromEntries(SERVICE_NAMES.map((name, i) => [name, services[i]])),
  );
  return stopAll;
}

function newDataDir(): string {
  const dataDir = mkdtempSync(join(tmpdir(), "signal-e2e-"));
  chmodSync(dataDir, 0o755);
  return dataDir;
}

function copyOf(original: string): string {
  const dataDir = newDataDir();
  // Unlike cpSync, keeps the owner of the database's files, which is another user if root runs the tests.
  execFileSync("cp", ["-a", `${original}/.`, dataDir]);
  return dataDir;
}

/**
 * Starts the service as `npm start` does, with embedded database, simulated market and local mail outbox. Administrators
 * can sign in with an identity provider. Stops it again if `isReady` fails.
 */
async function start(
  dataDir: string,
  isReady: (baseUrl: string) => Promise<void> = async () => undefined,
): Promise<StartedService> {
  const port = await pickFreePort();
  const baseUrl = `http://localhost:${port}`;
  const telegram = await startTelegram();
  const provider = await startOidcProvider(() => `${baseUrl}/api/auth/callback/oidc`);
  const child = spawn(process.execPath, [join(root, ".build/server.mjs")], {
    cwd: root,
    env: {
      PATH: process.env.PATH ?? "",
      PORT: String(port),
      DATA_DIR: dataDir,
      MARKET_FEED: "demo",
      PAYMENT_WEBHOOK_SECRET: "e2e-webhook-secret",
      ...PLATFORM_ENVIRONMENT,
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: provider.clientId,
      OIDC_CLIENT_SECRET: provider.clientSecret,
      TELEGRAM_BOT_TOKEN: BOT_TOKEN,
      API_ROOTS: `telegram=${telegram.root}`,
      // Longer timeouts, because other work on the processor must not make a page fail.
      TUNING: "timeout-factor=10",
      // Next's types require NODE_ENV; an operator sets none.
    } as Partial<NodeJS.ProcessEnv> as NodeJS.ProcessEnv,
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  try {
    await waitUntil(
      async () => {
        if (child.exitCode !== null) throw new Error(`the service ended at its start:\n${output}`);
        return output.includes("is ready at");
      },
      120_000,
      () => output,
    );
    await waitUntil(
      async () => {
        // Polling more often would hit the rate limit.
        await new Promise((done) => setTimeout(done, 400));
        const health = await fetch(`${baseUrl}/api/health`).then((response) => response.json());
        return health.total_active_slots > 0 && health.status === "ok";
      },
      120_000,
      () => output.slice(-4_000),
    );
    await isReady(baseUrl);
  } catch (error) {
    child.kill("SIGKILL");
    await Promise.all([telegram.close(), provider.close()]);
    throw error;
  }
  const { adminSecret } = JSON.parse(readFileSync(join(dataDir, "secrets.json"), "utf8"));
  return { baseUrl, dataDir, adminSecret, telegramRoot: telegram.root, child, telegram, provider };
}

/** Waits until a new installation has entered its simulated history into the ledger, which would slow the tests down. */
async function pastIsEntered(baseUrl: string): Promise<void> {
  let before = 0;
  await waitUntil(async () => {
    await new Promise((done) => setTimeout(done, 4_000));
    const checkpoint = await fetch(`${baseUrl}/api/public/ledger/checkpoint`).then((answer) => answer.text());
    const size = Number(checkpoint.split("\n")[1]);
    const isSettled = size > 1_000 && size - before < 100;
    before = size;
    return isSettled;
  }, 180_000);
}

/**
 * Without this, each service would train all five slots with enough candles, those of M15. A training takes several seconds
 * of processor time.
 */
async function trainOneSlotOnly(dataDir: string): Promise<void> {
  const sql = postgres(embeddedDatabaseUrl(dataDir) ?? "", { max: 1, onnotice: () => undefined });
  await sql`insert into settings (name, value) values ('training', '{"enabled": false}')`;
  await sql`insert into slot_settings (symbol, timeframe, is_trained) values ('EURUSD', 'M15', true)`;
  await sql.end();
}

async function stop({ child, telegram, provider }: StartedService): Promise<void> {
  const ended = new Promise((done) => child.once("exit", done));
  child.kill("SIGTERM");
  await ended;
  await Promise.all([telegram.close(), provider.close()]);
}

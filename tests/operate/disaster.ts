import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { pickFreePort } from "@/db/embedded/cluster";
import { unprivilegedIdentity } from "@/db/embedded/unprivileged-user";
import { closeConnections } from "@/tests/fuzz/send-request";
import { hasCaddy, startCaddy } from "@/tests/support/caddy";
import { startRedis } from "@/tests/support/redis";
import {
  connectAsSuperuser,
  postgresPrograms,
  type RunningPostgres,
  SUPERUSER_PASSWORD,
  startPostgres,
} from "@/tests/support/replica";
import { waitUntil } from "@/tests/support/server";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { sendHostileRequests } from "./hostile-requests";
import { callUntilStopped, type Reply, SiteClient, Tally } from "./load";
import { RunbookMachine, readVariables, writeVariables } from "./machine";
import { requireRunbookCommand, runbookCommands, runbookEnvironment } from "./runbook";

const root = fileURLToPath(new URL("../..", import.meta.url));
const SITE = "signals.example.com";
const WORKER = "signal-delivery-worker";
const CALLERS = 6;
const CANDLES = 3_000;
const HOUR_MS = 3_600_000;
/** Time for which the older replicas run on the newer schema. */
const SERVE_ON_MS = 12_000;
/** Number of hostile requests to each of a replica, nginx and Caddy. */
const HOSTILE_REQUESTS = 2_000;

const NEEDED: Record<string, string> = {
  "/usr/sbin/nginx": "nginx",
  "/usr/bin/redis-server": "redis-server",
  "/usr/bin/prometheus": "prometheus",
  "/usr/bin/createdb": "postgresql",
  "/usr/bin/openssl": "openssl",
  "/usr/bin/curl": "curl",
};

const BROWSER =
  process.env.CHROMIUM_PATH ?? ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].find(existsSync);

/**
 * Follows docs/operations/README.md with its own commands, in a bare directory instead of `/`, with Debian's
 * PostgreSQL, Redis, nginx and Prometheus: installs two replicas and a worker from deploy/systemd, takes a backup,
 * destroys and restores the database, upgrades and rolls back under load. Then a browser, hostile requests and the API
 * tests reach the service directly, through nginx and, if it is installed, through Caddy. OPERATE_FROM and OPERATE_TO
 * name the archives before and after the upgrade; without them, both are built from this tree. Returns the printed
 * lines. Throws if anything was lost.
 */
export async function runDisasterRecovery(): Promise<string[]> {
  const missing = Object.keys(NEEDED).filter((path) => !existsSync(path));
  if (missing.length > 0 || postgresPrograms === null || BROWSER === undefined)
    throw new Error(
      `apt-get install ${[...new Set(["postgresql", "chromium", ...missing.map((path) => NEEDED[path])])].join(" ")}`,
    );
  const walkthrough = new Walkthrough(temporaryDirectory("signal-operate-"));
  try {
    await walkthrough.live();
  } finally {
    await walkthrough.end();
  }
  return walkthrough.lines;
}

/** One way to reach the service: a replica itself, nginx or Caddy. */
interface Way {
  name: string;
  /** Base URL for programs, over plain HTTP. */
  http: string;
  /** Base URL for a browser. */
  site: string;
}

class Walkthrough {
  readonly lines: string[] = [];
  readonly #toEnd: (() => unknown)[] = [];
  readonly #tally = new Tally();
  #at = performance.now();
  /** nginx's port without TLS, for programs that send raw bytes. */
  #plainPort: number | null = null;

  constructor(readonly directory: string) {}

  /** Prints a step with its duration in seconds. */
  #say(text: string): void {
    const line = `${((performance.now() - this.#at) / 1_000).toFixed(1).padStart(6)} s  ${text}`;
    this.#at = performance.now();
    this.lines.push(line);
    process.stdout.write(`${line}\n`);
  }

  /** Prints a command's output below its step. */
  #quote(text: string): void {
    const lines = text.split("\n").filter((line) => !/^(>|npm notice)|^$/.test(line));
    for (const line of lines.map((each) => `          ${each}`)) {
      this.lines.push(line);
      process.stdout.write(`${line}\n`);
    }
  }

  async end(): Promise<void> {
    for (const end of this.#toEnd.toReversed()) await Promise.resolve(end()).catch(() => undefined);
  }

  async live(): Promise<void> {
    const from = await this.#archive(process.env.OPERATE_FROM);
    const isOwn = process.env.OPERATE_FROM === undefined;
    const to =
      isOwn && process.env.OPERATE_TO === undefined ? from : await this.#archive(process.env.OPERATE_TO);
    const [one, two, tls, prometheusPort] = [
      await pickFreePort(),
      await pickFreePort(),
      await pickFreePort(),
      await pickFreePort(),
    ];
    let database = await startPostgres();
    this.#toEnd.push(() => database.stop("SIGQUIT"));
    const redis = await startRedis();
    this.#toEnd.push(() => redis.stop());
    const password = randomBytes(12).toString("base64url");
    const machine = new RunbookMachine(
      this.directory,
      {
        "signal-delivery-service-1.3.0.tar.gz": from,
        "signal-delivery-service-1.4.0.tar.gz": to,
        "3001": String(one),
        "3002": String(two),
      },
      {
        PGHOST: "127.0.0.1",
        PGPORT: String(database.port),
        PGUSER: "postgres",
        PGPASSWORD: SUPERUSER_PASSWORD,
      },
    );
    this.#toEnd.push(() => machine.stopAll());
    const ran = new Set<string>();
    const run = (command: string, input?: string) => {
      ran.add(command);
      return machine.run(requireRunbookCommand(command), input);
    };
    this.#say(
      `PostgreSQL ${await versionOf(database)}, Redis and a bare directory, as ${unprivilegedIdentity() ? "nobody" : "this user"}`,
    );

    // Install.
    await run("sudo mkdir -p /opt/signal-delivery-service-1.3.0");
    await run(
      "sudo tar -xzf signal-delivery-service-1.3.0.tar.gz --strip-components=1 -C /opt/signal-delivery-service-1.3.0",
    );
    await run("sudo ln -sfn signal-delivery-service-1.3.0 /opt/signal-delivery-service");
    await this.#makeDatabase(run, password);
    const environment = {
      ...runbookEnvironment(),
      DATABASE_URL: database.url("signals", password, "signals"),
      REDIS_URL: redis.url,
      BASE_URL: `https://${SITE}`,
      PAYMENT_WEBHOOK_SECRET: randomBytes(24).toString("base64url"),
    };
    for (const [name, value] of Object.entries(environment))
      if (value === "") Object.assign(environment, { [name]: randomBytes(32).toString("base64") });
    await run("sudo install -m 600 /dev/null /etc/signal-delivery-service.env");
    const file = machine.at("etc/signal-delivery-service.env");
    writeVariables(file, environment);
    await run("sudo cp /opt/signal-delivery-service/deploy/systemd/* /etc/systemd/system/");
    await run("sudo systemctl daemon-reload");
    await run(
      "sudo systemctl enable --now signal-delivery-service@3001 signal-delivery-service@3002 signal-delivery-worker",
    );
    await run("until curl -fs localhost:3001/api/health/ready; do sleep 1; done");
    await run("until curl -fs localhost:3002/api/health/ready; do sleep 1; done");
    const variables = readVariables(file);
    this.#say(
      `installed: two replicas (${megabytes(machine.residentKb(`signal-delivery-service@${one}`))} with its pages) and a worker (${megabytes(machine.residentKb(WORKER))}) are ready`,
    );

    this.#plainPort = await pickFreePort();
    const certificate = this.#startNginx(machine, tls, this.#plainPort);
    const caller = new SiteClient({ port: tls, name: SITE, certificate });
    this.#toEnd.push(() => caller.close());
    await waitUntil(async () => (await statusOf(caller, "/api/health/live")) === 200, 10_000);
    const admin = (path: string, body: unknown) =>
      caller.ask("POST", path, { "X-Admin-Secret": variables.ADMIN_SECRET ?? "" }, JSON.stringify(body));
    const made = await admin("/admin/keys", {
      user_name: "Operator",
      plan_tier: "owner",
      rate_limit_per_min: 100_000,
    });
    if (made.status !== 201) throw new Error(`no key: ${made.status} ${made.text}`);
    const { api_key: key }: { api_key: string } = JSON.parse(made.text);
    this.#say(`nginx serves ${SITE} over TLS; a key was created`);

    await this.#followPrometheus(machine, prometheusPort, [one, two], variables.METRICS_TOKEN ?? "");

    // The operator's own candles, for which the worker makes baseline signals.
    const ingested = await admin("/admin/ingest/candles", { items: candles() });
    if (ingested.status !== 200) throw new Error(`no candles: ${ingested.status} ${ingested.text}`);
    await this.#untilOk(caller);
    this.#say(`${CANDLES} candles were ingested; the service is ok`);

    // Load, with a journal of acknowledgements.
    const load = (ms: number, during?: () => Promise<void>) =>
      this.#underLoad(caller, { key, webhookSecret: variables.PAYMENT_WEBHOOK_SECRET ?? "" }, ms, during);
    await load(8_000);
    this.#say(`load: ${this.#tally}`);

    const backup = await run(IN_UNIT("npm run backup"));
    const name = /(\S+\.backup):/.exec(backup)?.[1];
    if (name === undefined) throw new Error(`no backup: ${backup}`);
    this.#say(`npm run backup: ${backup.slice(backup.indexOf(name)).replace(this.directory, "")}`);

    // The database is lost.
    await database.stop("SIGKILL");
    rmSync(database.directory, { recursive: true, force: true });
    await waitUntil(async () => (await statusOf(caller, "/api/health/ready")) === 503, 15_000);
    const [poll, report] = [
      await caller.ask("GET", "/api/scan", { "X-API-Key": key }),
      await caller.ask(
        "POST",
        "/api/executions",
        { "X-API-Key": key },
        JSON.stringify({ ticket: 1, symbol: "EURUSD", timeframe: "H1", signal: "BUY" }),
      ),
    ];
    this.#say(`the database's files are gone: a poll gets ${poll.status}, a report ${report.status}`);
    await run(
      "sudo systemctl stop signal-delivery-worker signal-delivery-service@3001 signal-delivery-service@3002",
    );
    database = await startPostgres({ port: database.port });
    await this.#makeDatabase(run, password);
    const backupFile = name.split("/").at(-1) ?? "";
    machine.replaced["signals-20261122T101500Z.backup"] = backupFile;
    const restored = await run(
      IN_UNIT(
        "npm run restore -- /var/lib/signal-delivery-service/worker/backups/signals-20261122T101500Z.backup",
      ),
    );
    this.#say(`npm run restore: ${restored.split("\n").at(-1)}`);
    await run(
      "sudo systemctl start signal-delivery-worker signal-delivery-service@3001 signal-delivery-service@3002",
    );
    await waitUntil(
      async () =>
        (await caller.ask("GET", "/api/scan", { "X-API-Key": key }).catch(() => ({ status: 0 }))).status ===
        200,
      60_000,
    );
    this.#say("started again: the old key polls");
    await this.#requireAll(database);
    await this.#untilOk(caller);
    this.#say("the service is ok again");

    // A drill with the backup, as if copied from another machine.
    mkdirSync(machine.at("var/tmp"), { recursive: true });
    cpSync(
      machine.at(`var/lib/signal-delivery-service/worker/backups/${backupFile}`),
      machine.at(`var/tmp/${backupFile}`),
    );
    chmodSync(machine.at(`var/tmp/${backupFile}`), 0o644);
    const drill = await run(IN_UNIT("npm run restore -- /var/tmp/signals-20261122T101500Z.backup --drill"));
    this.#say(`npm run restore -- --drill: ${drill.split("\n").at(-1)}`);

    // The next version.
    const before = this.#tally.failed.length;
    let schema = "";
    await run("sudo mkdir -p /opt/signal-delivery-service-1.4.0");
    await run(
      "sudo tar -xzf signal-delivery-service-1.4.0.tar.gz --strip-components=1 -C /opt/signal-delivery-service-1.4.0",
    );
    const told = await run(
      IN_UNIT("npm run doctor -- --upgrade", "/opt/signal-delivery-service-1.4.0"),
    ).catch((error: Error) => error.message);
    this.#say("npm run doctor -- --upgrade, in the new version:");
    this.#quote(told);
    await load(3_000, async () => {
      await run("sudo ln -sfn signal-delivery-service-1.4.0 /opt/signal-delivery-service");
      await run("sudo systemctl restart signal-delivery-worker");
      const sql = connectAsSuperuser(database, "signals");
      const migrations = async () => (await sql`select 1 from drizzle.__drizzle_migrations`).length;
      const had = await migrations();
      // The worker migrates the schema; until they are restarted, both older replicas work on it.
      await pause(SERVE_ON_MS);
      schema = `${had} migrations, then ${await migrations()}`;
      await sql.end();
      await run("sudo systemctl restart signal-delivery-service@3001");
      await run("until curl -fs localhost:3001/api/health/ready; do sleep 1; done");
      await run("sudo systemctl restart signal-delivery-service@3002");
      await run("until curl -fs localhost:3002/api/health/ready; do sleep 1; done");
    });
    this.#say(`upgraded under load, one replica after the other (${schema}): ${this.#tally}`);
    if (this.#tally.failed.length > before)
      throw new Error(`failed twice: ${this.#tally.failed.slice(0, 10).join(", ")}`);
    await this.#requireAll(database);

    // Rolls back.
    await load(3_000, async () => {
      await run("sudo ln -sfn signal-delivery-service-1.3.0 /opt/signal-delivery-service");
      await run("sudo systemctl restart signal-delivery-worker");
      await run("sudo systemctl restart signal-delivery-service@3001");
      await run("until curl -fs localhost:3001/api/health/ready; do sleep 1; done");
      await run("sudo systemctl restart signal-delivery-service@3002");
      await run("until curl -fs localhost:3002/api/health/ready; do sleep 1; done");
    });
    this.#say(`rolled back under load, one replica after the other: ${this.#tally}`);
    if (this.#tally.failed.length > before)
      throw new Error(`failed twice: ${this.#tally.failed.slice(0, 10).join(", ")}`);
    await this.#requireAll(database);

    const ways = await this.#openWays([one, two], tls);
    // The browser comes before the hostile requests, whose wrong secrets block this address at the administrator's sign-in.
    await this.#walk(ways, variables.ADMIN_SECRET ?? "", key);
    await this.#attack(ways, admin, variables.PAYMENT_WEBHOOK_SECRET ?? "");
    await this.#requireAll(database);

    this.#say("npm run doctor:");
    this.#quote(await run(IN_UNIT("npm run doctor")).catch((error: Error) => error.message));
    const notJson = [one, two].flatMap((port) =>
      linesBesideJson(machine.at(`signal-delivery-service@${port}.log`)),
    );
    if (notJson.length > 0)
      throw new Error(`not JSON on standard output: ${notJson.slice(0, 3).join(" | ")}`);
    const left = runbookCommands().filter(
      (command) => !ran.has(command) && !NOT_HERE.some((beginning) => command.startsWith(beginning)),
    );
    if (left.length > 0) throw new Error(`the runbook's commands that were not run: ${left.join(" | ")}`);
    this.#say(
      `${ran.size} commands of the runbook were run unchanged; the others need resources missing here`,
    );
    await run(
      "sudo systemctl stop signal-delivery-worker signal-delivery-service@3001 signal-delivery-service@3002",
    );
    await this.#testInterface(ways, machine.at("opt/signal-delivery-service"), one);
    this.#say("stopped");
  }

  /** Starts Caddy, if installed. Returns the ways to reach the service; a browser needs TLS except on localhost. */
  async #openWays([one = 0, two = 0]: number[], tls: number): Promise<Way[]> {
    const ways = [
      { name: "a replica itself", http: `http://127.0.0.1:${one}`, site: `http://localhost:${one}` },
      { name: "nginx", http: `http://127.0.0.1:${this.#plainPort}`, site: `https://${SITE}:${tls}` },
    ];
    if (!hasCaddy) {
      this.#say("no Caddy here");
      return ways;
    }
    const upstreams: [string, string] = [`127.0.0.1:${one}`, `127.0.0.1:${two}`];
    const [plain, secure] = [await startCaddy(upstreams), await startCaddy(upstreams, SITE)];
    this.#toEnd.push(
      () => plain.stop(),
      () => secure.stop(),
    );
    return [...ways, { name: "Caddy", http: plain.url, site: secure.url }];
  }

  async #walk(ways: readonly Way[], adminSecret: string, key: string): Promise<void> {
    for (const { name, site } of ways) {
      const walked = await runTool(WALK, {
        WALK_URL: site,
        WALK_NAME: SITE,
        WALK_ADMIN_SECRET: adminSecret,
        WALK_KEY: key,
        CHROMIUM_PATH: BROWSER ?? "",
      });
      this.#say(`a browser's walk by ${name}: ${/\d+ passed/.exec(walked)?.[0]}`);
    }
  }

  async #attack(
    ways: readonly Way[],
    admin: (path: string, body: unknown) => Promise<Reply>,
    webhookSecret: string,
  ): Promise<void> {
    const made = await admin("/admin/keys", {
      user_name: "Hostile",
      plan_tier: "pro",
      rate_limit_per_min: 100_000,
    });
    const { api_key: key, key_id }: { api_key: string; key_id: number } = JSON.parse(made.text);
    // With the real administrator secret, random requests could change settings of the running service.
    const secrets = { keys: [key], keyIds: [key_id], adminSecret: "wrong", webhookSecret };
    try {
      for (const [n, { name, http }] of ways.entries()) {
        const wanted = { seed: 1_000_000 * (n + 1), requests: HOSTILE_REQUESTS, isProxy: n > 0 };
        const refused = await sendHostileRequests(Number(new URL(http).port), secrets, wanted);
        this.#say(
          `${HOSTILE_REQUESTS} hostile requests to ${name}: ${refused} refused in the interface's form, none 5xx, none hung`,
        );
      }
    } finally {
      closeConnections();
    }
  }

  /** Runs the API tests through each way. They start the archive on new databases, at the stopped first replica's port. */
  async #testInterface(ways: readonly Way[], archive: string, port: number): Promise<void> {
    for (const { name, http } of ways) {
      const tested = await runTool(INTERFACE_TESTS, {
        INTERFACE_URL: http,
        INTERFACE_PORT: String(port),
        INTERFACE_ARCHIVE: archive,
      });
      this.#say(`the API tests through ${name}: ${/Tests\s+(.*)$/m.exec(tested)?.[1]}`);
    }
  }

  /** Path of an archive of `npm run package`: the named one, or one that it builds from this tree. */
  async #archive(named: string | undefined): Promise<string> {
    if (named !== undefined) return resolve(named);
    const dist = join(root, "dist");
    const { status, stdout, stderr } = spawnSync(process.execPath, ["lib/server/package.mjs"], {
      cwd: root,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`npm run package: ${stderr}`);
    const [, file = ""] = /(signal-delivery-service-\S+\.tar\.gz)/.exec(stdout) ?? [];
    this.#say(`npm run package: ${stdout.trim().split("\n").at(-1)}`);
    return join(dist, file);
  }

  async #makeDatabase(
    run: (command: string, input?: string) => Promise<string>,
    password: string,
  ): Promise<void> {
    await run("sudo -u postgres createuser --createdb --pwprompt signals", `${password}\n${password}\n`);
    await run("sudo -u postgres createdb --owner=signals signals");
  }

  /** Waits until /api/health is ok, for three minutes at most: the worker first has to make signals from the candles. */
  async #untilOk(caller: SiteClient): Promise<void> {
    let last = "";
    await waitUntil(
      async () => {
        last = (await caller.ask("GET", "/api/health").catch(() => ({ text: "" }))).text;
        await pause(500);
        return last.includes('"status":"ok"');
      },
      180_000,
      () => last,
    );
  }

  async #underLoad(
    caller: SiteClient,
    secrets: { key: string; webhookSecret: string },
    ms: number,
    during: () => Promise<void> = async () => undefined,
  ): Promise<void> {
    const stop = new AbortController();
    const first = 1_000_000 * (1 + this.#tally.asked);
    const callers = Array.from({ length: CALLERS }, (_, n) =>
      callUntilStopped(caller, first + 1_000_000 * n, secrets, this.#tally, stop.signal),
    );
    try {
      await during();
      await pause(ms);
    } finally {
      stop.abort();
      await Promise.all(callers);
    }
  }

  /** Throws unless every acknowledged report and payment is stored exactly once. */
  async #requireAll(database: RunningPostgres): Promise<void> {
    const sql = connectAsSuperuser(database, "signals");
    try {
      const tickets = (await sql<{ ticket: string }[]>`select ticket::text from executions`).map(
        ({ ticket }) => Number(ticket),
      );
      const invoices = (await sql<{ id: string }[]>`select invoice_id as id from invoices`).map(
        ({ id }) => id,
      );
      const lost = [
        ...[...this.#tally.tickets].filter((ticket) => !tickets.includes(ticket)),
        ...[...this.#tally.invoices].filter((invoice) => !invoices.includes(invoice)),
      ];
      const doubled = tickets.length - new Set(tickets).size + invoices.length - new Set(invoices).size;
      this.#say(
        `${this.#tally.tickets.size} acknowledged reports and ${this.#tally.invoices.size} payments: ${lost.length} lost, ${doubled} doubled`,
      );
      if (lost.length + doubled > 0) throw new Error(`lost: ${lost.slice(0, 10).join(", ")}`);
    } finally {
      await sql.end();
    }
  }

  /** Starts nginx with deploy/nginx.conf, changed in ports, paths and certificate. Returns the new certificate (PEM). */
  #startNginx(machine: RunbookMachine, port: number, plainPort: number): string {
    const [certificate, key] = [machine.at(`etc/ssl/${SITE}.pem`), machine.at(`etc/ssl/${SITE}.key`)];
    const made = spawnSync("openssl", [
      ...[
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "2",
      ],
      ...[
        "-subj",
        `/CN=${SITE}`,
        "-addext",
        `subjectAltName=DNS:${SITE}`,
        "-keyout",
        key,
        "-out",
        certificate,
      ],
    ]);
    if (made.status !== 0) throw new Error(`openssl: ${made.stderr}`);
    chmodSync(key, 0o644);
    const site = machine
      .here(readFileSync(machine.at("opt/signal-delivery-service/deploy/nginx.conf"), "utf8"))
      .replace("listen 80;", `listen unix:${machine.at("nginx")}/port-80;`)
      .replace("listen 443 ssl;", `listen 127.0.0.1:${port} ssl; listen 127.0.0.1:${plainPort};`)
      .replaceAll("/var/log/nginx", machine.at("nginx"));
    const work = machine.at("nginx");
    mkdirSync(work);
    chmodSync(work, 0o777);
    const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (kind) => `${kind}_temp_path ${work}/${kind};`,
    );
    const config = join(work, "nginx.conf");
    writeFileSync(
      config,
      `daemon off; pid ${work}/nginx.pid; error_log ${work}/error.log;\nevents {}\nhttp { access_log off; ${places.join(" ")}\n${site}\n}\n`,
    );
    const child = spawn("/usr/sbin/nginx", ["-c", config, "-p", work], {
      stdio: "ignore",
      ...unprivilegedIdentity(),
    });
    this.#toEnd.push(() => child.kill("SIGTERM"));
    return readFileSync(certificate, "utf8");
  }

  /** Starts Prometheus with the configuration and alerts of deploy/prometheus. Waits until it has scraped both replicas. */
  async #followPrometheus(
    machine: RunbookMachine,
    port: number,
    replicas: number[],
    token: string,
  ): Promise<void> {
    const work = machine.at("prometheus");
    cpSync(machine.at("opt/signal-delivery-service/deploy/prometheus"), work, { recursive: true });
    writeFileSync(join(work, "token"), token);
    const config = join(work, "prometheus.yml");
    const targets = replicas.map((replica) => `127.0.0.1:${replica}`).join(", ");
    writeFileSync(
      config,
      readFileSync(config, "utf8")
        .replace("web1:3000, web2:3000", targets)
        .replace("/run/secrets/metrics_token", join(work, "token"))
        .replace("scrape_interval: 15s", "scrape_interval: 3s"),
    );
    const checked = spawnSync("promtool", ["check", "config", config], { encoding: "utf8" });
    if (checked.status !== 0) throw new Error(`promtool: ${checked.stdout}${checked.stderr}`);
    const identity = unprivilegedIdentity();
    if (identity) spawnSync("chown", ["-R", String(identity.uid), work]);
    const child = spawn(
      "/usr/bin/prometheus",
      [
        `--config.file=${config}`,
        `--storage.tsdb.path=${join(work, "data")}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: "ignore", ...identity },
    );
    this.#toEnd.push(() => child.kill("SIGTERM"));
    const ask = async (query: string): Promise<{ value: [number, string] }[]> => {
      const answer = await fetch(
        `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`,
      ).catch(() => null);
      return answer?.ok ? (await answer.json()).data.result : [];
    };
    const isUp = async () =>
      (await ask("up")).filter(({ value }) => value[1] === "1").length === replicas.length;
    await waitUntil(isUp, 60_000);
    const [series] = await ask('count({job="signal-delivery-service"})');
    const rules = await (await fetch(`http://127.0.0.1:${port}/api/v1/rules`)).json();
    const alerts: unknown[] = rules.data.groups.flatMap((group: { rules: unknown[] }) => group.rules);
    this.#say(`Prometheus scrapes both replicas: ${series?.value[1]} series, ${alerts.length} alerts loaded`);
  }
}

/** Command that runs some tests which need only the API and the database, one file after the other. */
const INTERFACE_TESTS = [
  ...["vitest", "run", "--config", "tests/vitest.config.ts", "--no-file-parallelism"],
  "tests/interface/resources.test.ts",
  ...["executions", "ingest", "reads", "receipts"].map((name) => `tests/api/${name}.test.ts`),
];
const WALK = ["playwright", "test", "--config", "tests/operate/walk.config.ts"];

/** Runs a tool of this tree to its end; throws with its output when it failed. */
async function runTool(words: readonly string[], variables: Record<string, string>): Promise<string> {
  const child = spawn("npx", ["--no-install", ...words], {
    cwd: root,
    env: { ...process.env, NO_COLOR: "1", ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let told = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (piece: Buffer) => {
      told += piece.toString();
    });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}:\n${told.slice(-6_000)}`);
  return told;
}

/** The runbook's systemd-run command that runs a command with the variables of the service's unit. */
const IN_UNIT = (command: string, directory = "/opt/signal-delivery-service") =>
  "sudo systemd-run --pipe --wait --uid=signals -p EnvironmentFile=/etc/signal-delivery-service.env " +
  `-p WorkingDirectory=${directory} -E DATA_DIR=/var/lib/signal-delivery-service/worker ${command}`;

/**
 * Beginnings of the runbook's lines that this scenario does not run: they need another machine, Docker, more cores or a
 * person's choice, another test covers them, or they are variables.
 */
const NOT_HERE = [
  // Lines of the environment file.
  ...["DATABASE_URL=", "REDIS_URL=", "BASE_URL=", "HOST=", "TRUST_PROXY_HOPS=", "MARKET_FEED="],
  ...["ADMIN_SECRET=", "NEXTAUTH_SECRET=", "ENCRYPTION_KEY=", "BACKUP_PASSPHRASE=", "METRICS_TOKEN="],
  ...["sudo apt-get install ", "sudo useradd "],
  "docker compose ",
  "npm run package",
  "sudo systemctl enable --now signal-delivery-service@3003",
  "sudo systemctl enable --now signal-delivery-service@3005",
  // Covered by tests/operate/backup, bundle and log-file.
  ...["npm run doctor", "npm run backup", "npm run restore -- signals-"],
  ...["sudo mv /var/log/", "sudo systemctl kill "],
  ...["sudo -u postgres createdb --owner=signals signals_restored", "sudo rclone "],
  "sudo systemctl enable --now signal-delivery-backup-copy.timer",
  // #startNginx starts nginx with its own configuration; tests/operate/pgbouncer covers PgBouncer.
  ...[
    "sudo cp /opt/signal-delivery-service/deploy/nginx.conf ",
    "sudo nginx -t",
    "sudo systemctl reload nginx",
  ],
  "sudo systemctl reload pgbouncer",
  // Not run here, because tests/commands/ingest runs it.
  IN_UNIT("npm run ingest "),
  // Not run here, because tests/operate/replica and point-in-time run them.
  ...["sudo -u postgres psql ", "sudo -u postgres pg_basebackup "],
];

/** Hourly candles of a market that is always open, up to now. */
function candles(): unknown[] {
  const newest = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS;
  let price = 60_000;
  return Array.from({ length: CANDLES }, (_, n) => {
    const open = price;
    price *= 1 + 0.004 * Math.sin(n * 1.7) + 0.003 * Math.sin(n / 9);
    return {
      symbol: "BTCUSD",
      timeframe: "H1",
      ts: new Date(newest - (CANDLES - 1 - n) * HOUR_MS).toISOString(),
      open,
      high: 1.001 * Math.max(open, price),
      low: 0.999 * Math.min(open, price),
      close: price,
      volume: 100 + (n % 7),
    };
  });
}

/** Log lines of a service that are neither JSON nor the start-up banner on standard error. */
function linesBesideJson(path: string): string[] {
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line !== "" && !line.startsWith("{") && !/^ {2}\S/.test(line));
}

async function statusOf(caller: SiteClient, path: string): Promise<number> {
  return (await caller.ask("GET", path).catch(() => ({ status: 0 }))).status;
}

async function versionOf(database: RunningPostgres): Promise<string> {
  const sql = connectAsSuperuser(database);
  const [row] = await sql<{ version: string }[]>`select current_setting('server_version') as version`;
  await sql.end();
  return row?.version.split(" ")[0] ?? "";
}

const megabytes = (kilobytes: number) => `${Math.round(kilobytes / 1_000)} MB`;

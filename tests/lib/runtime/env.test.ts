import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EnvError, parseEnv } from "@/lib/runtime/env";

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "signal-env-"));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

/** The problems of a refused configuration. */
function problemsOf(source: Record<string, string>): EnvError {
  try {
    parseEnv({ DATA_DIR: dataDir, ...source });
  } catch (error) {
    if (error instanceof EnvError) return error;
    throw error;
  }
  throw new Error("the configuration was accepted");
}

describe("parseEnv", () => {
  it("parseEnv uses the documented defaults when nothing is set", () => {
    const config = parseEnv({ DATA_DIR: dataDir });
    expect(config).toMatchObject({
      production: false,
      port: 3000,
      baseUrl: "http://localhost:3000",
      databaseUrl: null,
      ownerApiKey: null,
      marketFeed: "demo",
      host: null,
      trustProxyHops: 0,
      adminFailuresPerMin: 100,
      drainDelaySeconds: 0,
      logLevel: "info",
      worker: "inside",
    });
  });

  it("parseEnv accepts an OIDC provider only completely configured, over https or local", () => {
    const whole = { OIDC_CLIENT_ID: "signals", OIDC_CLIENT_SECRET: "a-secret" };
    const issuer = "https://id.example.com/realms/staff/";
    expect(parseEnv({ DATA_DIR: dataDir, ...whole, OIDC_ISSUER: issuer }).oidc).toEqual({
      issuer,
      clientId: "signals",
      clientSecret: "a-secret",
    });
    expect(
      parseEnv({ DATA_DIR: dataDir, ...whole, OIDC_ISSUER: "http://localhost:8080" }).oidc,
    ).not.toBeNull();
    expect(parseEnv({ DATA_DIR: dataDir }).oidc).toBeNull();
    expect(problemsOf(whole).problems[0]).toMatch(/^OIDC_ISSUER, .* together or not at all$/);
    for (const bad of ["http://id.example.com", "id.example.com", "https://id.example.com/?a=b"])
      expect(problemsOf({ ...whole, OIDC_ISSUER: bad }).problems[0]).toMatch(/^OIDC_ISSUER: must be /);
  });

  it("the host for metrics is METRICS_HOST, else HOST, else loopback", () => {
    const host = (source: Record<string, string>) => parseEnv({ DATA_DIR: dataDir, ...source }).metricsHost;
    expect(host({})).toBe("127.0.0.1");
    expect(host({ HOST: "10.0.0.1" })).toBe("10.0.0.1");
    expect(host({ HOST: "10.0.0.1", METRICS_HOST: "127.0.0.1" })).toBe("127.0.0.1");
  });

  it("parseEnv treats blank values as unset, strips slashes from BASE_URL and lower-cases OWNER_API_KEY", () => {
    const config = parseEnv({
      DATA_DIR: dataDir,
      PORT: "  ",
      LOG_LEVEL: "",
      BASE_URL: "https://example.test///",
      OWNER_API_KEY: "3F2A0000-0000-4000-8000-00000000C91B",
    });
    expect(config.port).toBe(3000);
    expect(config.logLevel).toBe("info");
    expect(config.baseUrl).toBe("https://example.test");
    expect(config.ownerApiKey).toBe("3f2a0000-0000-4000-8000-00000000c91b");
  });

  it("the market feed is off by default when DATABASE_URL is set", () => {
    const secrets = { NEXTAUTH_SECRET: "n".repeat(16), ENCRYPTION_KEY: "e".repeat(16) };
    const config = parseEnv({ DATA_DIR: dataDir, DATABASE_URL: "postgres://db/signals", ...secrets });
    expect(config.marketFeed).toBe("off");
  });

  it("parseEnv names every invalid variable at once, and never a value", () => {
    const bad = {
      NODE_ENV: "bad-node-env",
      PORT: "bad-port",
      BASE_URL: "ftp://bad-base-url",
      DATABASE_URL: "mysql://user:bad-password@db",
      OWNER_API_KEY: "bad-owner",
      UPSTASH_REDIS_REST_URL: "bad-upstash",
      REDIS_URL: "http://bad-redis",
      SMTP_URL: "bad-smtp",
      MAIL_FROM: "bad-sender",
      MARKET_FEED: "bad-feed",
      HOST: "bad host",
      TRUST_PROXY_HOPS: "-1",
      TRUST_PROXY_FROM: "bad-network",
      ADMIN_FAILURES_PER_MIN: "-1",
      TUNING: "bad-tuning=1",
      API_ROOTS: "bad-service=https://bad.example",
      BACKUP_PASSPHRASE_NEXT: "bad-short",
      DRAIN_DELAY_SECONDS: "301",
      LOG_LEVEL: "bad-level",
      WORKER: "bad-worker",
      METRICS_HOST: "bad host",
    };
    const { problems, message } = problemsOf(bad);
    for (const name of Object.keys(bad)) expect(problems.join("\n")).toContain(name);
    for (const name of ["UPSTASH_REDIS_REST_TOKEN", "NEXTAUTH_SECRET", "ENCRYPTION_KEY"])
      expect(problems.join("\n")).toContain(name);
    expect(message).not.toMatch(/bad-|mysql|ftp/);
  });

  it.each(["65536", "99999", "-1", "80a", "1e3", "٣٠٠٠"])("parseEnv refuses PORT=%s", (port) => {
    expect(problemsOf({ PORT: port }).problems).toEqual(["PORT: must be a port number"]);
  });

  it("parseEnv requires the signing and encryption secrets when DATABASE_URL is set", () => {
    expect(problemsOf({ DATABASE_URL: "postgres://db/signals" }).problems).toEqual([
      "NEXTAUTH_SECRET: is required when DATABASE_URL is set",
      "ENCRYPTION_KEY: is required when DATABASE_URL is set",
    ]);
  });

  it("parseEnv refuses the Upstash token without the Upstash URL", () => {
    expect(problemsOf({ UPSTASH_REDIS_REST_TOKEN: "token" }).problems).toHaveLength(1);
  });

  it("parseEnv names DATA_DIR when it cannot be a folder or its secrets cannot be read", () => {
    const file = join(dataDir, "file");
    writeFileSync(file, "");
    expect(problemsOf({ DATA_DIR: join(file, "below") }).problems).toEqual([
      expect.stringMatching(/^DATA_DIR: /),
    ]);
    writeFileSync(join(dataDir, "secrets.json"), "{");
    expect(problemsOf({}).problems).toEqual([expect.stringMatching(/^DATA_DIR: /)]);
  });
});

describe("encryption keys", () => {
  const keysOf = (variables: Record<string, string>) =>
    parseEnv({ DATA_DIR: dataDir, ...variables }).encryptionKeys;

  it("encryption keys keep the order of their list, and ENCRYPTION_KEY follows as version 1", () => {
    expect(keysOf({ ENCRYPTION_KEYS: "3:ccc, 2:b=b", ENCRYPTION_KEY: "aaa" })).toEqual([
      { version: 3, secret: "ccc" },
      { version: 2, secret: "b=b" },
      { version: 1, secret: "aaa" },
    ]);
    expect(keysOf({ ENCRYPTION_KEY: "aaa" })).toEqual([{ version: 1, secret: "aaa" }]);
  });

  it("encryption keys are refused without a version, twice, or as a second version 1", () => {
    for (const wrong of ["key", "2:", "0:key", "2:a,2:b", "2:a,,3:b"])
      expect(problemsOf({ ENCRYPTION_KEYS: wrong }).problems).toEqual([
        expect.stringMatching(/^ENCRYPTION_KEYS: must /),
      ]);
    expect(problemsOf({ ENCRYPTION_KEY: "a", ENCRYPTION_KEYS: "1:b" }).problems).toHaveLength(1);
  });
});

describe("generated secrets", () => {
  it("generated secrets are created once, readable by the owner only, and stay the same", () => {
    const first = parseEnv({ DATA_DIR: dataDir });
    const second = parseEnv({ DATA_DIR: dataDir });
    const secrets = (config: typeof first) => [
      config.adminSecret,
      config.nextauthSecret,
      config.encryptionKeys[0].secret,
    ];
    expect(secrets(second)).toEqual(secrets(first));
    expect(new Set(secrets(first)).size).toBe(3);
    for (const secret of secrets(first)) expect(secret.length).toBeGreaterThanOrEqual(32);
    expect(first.adminSecretGenerated).toBe(true);
    expect(statSync(join(dataDir, "secrets.json")).mode & 0o777).toBe(0o600);
  });

  it("generated secrets are not written when every secret is set", () => {
    const given = {
      ADMIN_SECRET: "a".repeat(16),
      NEXTAUTH_SECRET: "n".repeat(16),
      ENCRYPTION_KEY: "e".repeat(16),
    };
    expect(parseEnv({ DATA_DIR: dataDir, ...given })).toMatchObject({
      adminSecret: "a".repeat(16),
      adminSecretGenerated: false,
    });
    expect(() => readFileSync(join(dataDir, "secrets.json"))).toThrow("ENOENT");
  });
});

describe("secrets in files", () => {
  const write = (name: string, content: string) => {
    const path = join(dataDir, name);
    writeFileSync(path, content);
    return path;
  };

  it("secrets are read from NAME_FILE and systemd credentials, without the trailing line break", () => {
    write("ENCRYPTION_KEY", "the-key-of-a-credential\n");
    const config = parseEnv({
      DATA_DIR: dataDir,
      ADMIN_SECRET_FILE: write("admin", "the secret of a file\r\n"),
      ADMIN_SECRET_PREVIOUS_FILE: write("former", "the former secret"),
      REDIS_URL_FILE: write("redis", "redis://:password@localhost:6379\n"),
      STRIPE_WEBHOOK_SECRET_FILE: write("stripe", "whsec_0123456789"),
      CREDENTIALS_DIRECTORY: dataDir,
    });
    expect(config).toMatchObject({
      adminSecret: "the secret of a file",
      adminSecretGenerated: false,
      redisUrl: "redis://:password@localhost:6379",
      encryptionKeys: [{ version: 1, secret: "the-key-of-a-credential" }],
    });
    expect(config.alternates.ADMIN_SECRET).toEqual(["the former secret"]);
    expect(config.serviceSecrets.STRIPE_WEBHOOK_SECRET).toEqual(["whsec_0123456789"]);
  });

  it("secret files that are unreadable, empty, invalid or given twice are refused, naming the variable", () => {
    write("METRICS_TOKEN", "a-token-of-a-credential");
    const { problems, message } = problemsOf({
      ADMIN_SECRET_FILE: join(dataDir, "nowhere"),
      NEXTAUTH_SECRET_FILE: dataDir,
      SMTP_URL_FILE: write("empty", "\n"),
      DATABASE_URL_FILE: write("database", "mysql://user:hunter2@db"),
      METRICS_TOKEN: "a-token-of-the-environment",
      CREDENTIALS_DIRECTORY: dataDir,
    });
    expect(problems).toEqual(
      [
        "METRICS_TOKEN: is given more than once: as a variable, a file or a credential",
        "ADMIN_SECRET_FILE: cannot be read",
        "NEXTAUTH_SECRET_FILE: cannot be read",
        "SMTP_URL_FILE: is empty",
        "DATABASE_URL: must be an address that starts with postgres:// or postgresql://",
        "NEXTAUTH_SECRET: is required when DATABASE_URL is set",
        "ENCRYPTION_KEY: is required when DATABASE_URL is set",
      ].toSorted((a, b) => problems.indexOf(a) - problems.indexOf(b)),
    );
    expect(message).not.toMatch(/hunter2|a-token/);
  });
});

describe("variables of earlier releases", () => {
  it("variables of earlier releases are still read, and current ones take precedence", () => {
    const config = parseEnv({
      DATA_DIR: dataDir,
      ADMIN_FAILURES_PER_MIN: "30",
      KEY_OPEN_REQUESTS: "7",
      PRELOAD_PAGES: "off",
      FEED_BACKFILL_CANDLES: "50",
      OANDA_API_ROOT: "https://api-fxtrade.oanda.com/",
      TUNING: "open-requests=9",
    });
    expect(config).toMatchObject({
      adminFailuresPerMin: 30,
      openPerKey: 9,
      preloadPages: false,
      feedBackfillCandles: 50,
      oandaApiRoot: "https://api-fxtrade.oanda.com",
      telegramApiRoot: "https://api.telegram.org",
    });
    expect(problemsOf({ KEY_OPEN_REQUESTS: "many", PRELOAD_PAGES: "perhaps" }).problems).toEqual([
      "KEY_OPEN_REQUESTS: is not usable",
      "PRELOAD_PAGES: is not usable",
    ]);
  });
});

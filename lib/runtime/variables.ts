import { isIP } from "node:net";
import { z } from "zod";
import { parseMarketFeed } from "./feed-plan";

const blankIsUnset = (value: unknown) =>
  typeof value === "string" && value.trim() === "" ? undefined : value;
const optional = <T extends z.ZodType>(schema: T) => z.preprocess(blankIsUnset, schema.optional());
const url = (protocols: string[]) =>
  z
    .string()
    .refine(
      (text) => URL.canParse(text) && protocols.includes(new URL(text).protocol),
      `must be an address that starts with ${protocols.map((p) => `${p}//`).join(" or ")}`,
    );
const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^[0-9]{1,6}$/, `must be a number from ${min} to ${max}`)
    .transform(Number)
    .refine((n) => n >= min && n <= max, `must be a number from ${min} to ${max}`);
const address = z
  .string()
  .trim()
  .refine((text) => text === "localhost" || isIP(text) !== 0, "must be an IP address or localhost");
const networks = z
  .string()
  .transform((text) => text.split(",").map((part) => part.trim()))
  .refine(
    (parts) => parts.every(isNetwork),
    "must be IP addresses or networks such as 10.0.0.0/8, with commas",
  );
const uuid = z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, "must be a UUID");
const port = z
  .string()
  .regex(/^[0-9]{1,5}$/, "must be a port number")
  .transform(Number)
  .refine((number) => number <= 65_535, "must be a port number");
const secret = z.string().trim().min(1, "must not be blank");
/**
 * The issuer of an identity provider. It must use HTTPS unless it is on this machine, because its documents and tokens
 * must not be readable in transit.
 */
const issuer = url(["http:", "https:"])
  .transform((text) => text.trim())
  .refine((text) => {
    const { protocol, hostname, search, hash } = new URL(text);
    const isNear = ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
    return (protocol === "https:" || isNear) && search === "" && hash === "";
  }, "must be an https address without a query, as the provider writes its issuer");
/** A secret that is part of a URL, so only characters that need no escaping are allowed. */
const addressSecret = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9_-]{24,200}$/, "must be 24 to 200 letters, digits, - or _");
/** A signing secret in the format of Standard Webhooks. */
const signingSecret = z
  .string()
  .trim()
  .regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, "must be whsec_ and at least 24 bytes in Base64");
/** `version:key` pairs separated by commas. The first key encrypts, all of them decrypt. */
const versionedKeys = z.string().transform((text, context) => {
  const keys = text.split(",").map((part) => {
    const [, version, secret] = /^\s*([1-9][0-9]{0,3}):(\S+)\s*$/.exec(part) ?? [];
    return { version: Number(version), secret: secret ?? "" };
  });
  if (keys.some(({ secret }) => secret === ""))
    context.addIssue("must be versions and keys such as 2:KEY,1:KEY");
  if (new Set(keys.map(({ version }) => version)).size < keys.length)
    context.addIssue("must name each version once");
  return keys;
});

const marketFeed = z.string().transform((text, context) => {
  const plan = parseMarketFeed(text);
  if (!("problem" in plan)) return plan;
  context.addIssue(plan.problem);
  return z.NEVER;
});

/** Parses `name=value` pairs separated by commas; a name that is not given keeps its default. */
function figures<K extends string>(
  defaults: Readonly<Record<K, number>>,
  mostOf: Readonly<Record<K, number>>,
): z.ZodType<Record<K, number>, string> {
  const names = Object.keys(defaults).filter((name): name is K => Object.hasOwn(defaults, name));
  return z.string().transform((text, context) => {
    const found: Record<K, number> = { ...defaults };
    for (const part of text.split(",")) {
      const [, named = "", number = ""] = /^\s*([a-z-]+)=([0-9]{1,7})\s*$/.exec(part) ?? [];
      const name = names.find((known) => known === named);
      if (name === undefined || Number(number) > mostOf[name])
        context.addIssue(
          `must be ${names.map((known) => `${known}= up to ${mostOf[known]}`).join(", ")}, with commas`,
        );
      else found[name] = Number(number);
    }
    return found;
  });
}

/** Default values of the variable TUNING, which holds numbers that are rarely changed. */
export const DEFAULT_TUNING = {
  /** Wrong administrator secrets per minute, over all addresses and replicas. Further wrong ones get 429. */
  "admin-failures": 100,
  /** Number of past candles that a feed requests for a slot without candles. */
  backfill: 5_000,
  /** Number of long polls and streams that one key may have open in a process at the same time. */
  "open-requests": 3,
  /**
   * Factor by which the time limits of all database pools but the worker's are multiplied; values below 1 count as 1.
   */
  "timeout-factor": 1,
  /** 1: start the page process with the server. 0: start it at the first page request. */
  preload: 1,
} as const;
type Tuned = keyof typeof DEFAULT_TUNING;
const MOST: Record<Tuned, number> = {
  "admin-failures": 100_000,
  backfill: 100_000,
  "open-requests": 1_000,
  "timeout-factor": 20,
  preload: 1,
};

/**
 * Default base addresses of external services. Those in the variable API_ROOTS replace them, for tests and gateways.
 */
export const DEFAULT_API_ROOTS = {
  telegram: "https://api.telegram.org",
  /** OANDA's practice environment. */
  oanda: "https://api-fxpractice.oanda.com",
  /** Empty: each exchange's usual address is used. */
  ccxt: "",
} as const;
type OuterService = keyof typeof DEFAULT_API_ROOTS;

/** Parses `service=address` pairs separated by commas; a service that is not given keeps its default. */
const apiRoots = z.string().transform((text, context) => {
  const roots: Record<OuterService, string> = { ...DEFAULT_API_ROOTS };
  for (const part of text.split(",")) {
    const [, service = "", address = ""] = /^\s*([a-z]+)=(\S+)\s*$/.exec(part) ?? [];
    if (!Object.hasOwn(DEFAULT_API_ROOTS, service) || !url(["http:", "https:"]).safeParse(address).success)
      context.addIssue("must be telegram=, oanda= or ccxt= and an address, with commas");
    else roots[service as OuterService] = address.replace(/\/+$/, "");
  }
  return roots;
});

const token = z.string().trim();

/** Signing secrets of the payment platforms. */
const PLATFORM_SECRETS = {
  PAYMENT_WEBHOOK_SECRET: z.string(),
  STRIPE_WEBHOOK_SECRET: z.string(),
  PADDLE_WEBHOOK_SECRET: z.string(),
  LEMONSQUEEZY_WEBHOOK_SECRET: z.string(),
  WHOP_WEBHOOK_SECRET: z.string(),
  GUMROAD_WEBHOOK_SECRET: addressSecret,
} as const;
export type PlatformSecretName = keyof typeof PLATFORM_SECRETS;

const SANDBOX_SECRETS = {
  PADDLE_SANDBOX_WEBHOOK_SECRET: z.string(),
  WHOP_SANDBOX_WEBHOOK_SECRET: z.string(),
} as const;
export type SandboxSecretName = keyof typeof SANDBOX_SECRETS;

/**
 * Secrets of external services by variable, with the format of each. An owner may enter them on the administrator's
 * pages instead; a variable takes precedence.
 */
const SERVICE_SECRETS = {
  ...PLATFORM_SECRETS,
  ...SANDBOX_SECRETS,
  RESEND_API_KEY: z.string(),
  SMTP_URL: url(["smtp:", "smtps:"]),
  TELEGRAM_BOT_TOKEN: token.regex(
    /^[0-9]{1,20}:[A-Za-z0-9_-]{10,100}$/,
    "must be a token such as BotFather gives",
  ),
  OANDA_TOKEN: secret,
} as const satisfies Record<string, z.ZodType<string>>;
export type ServiceSecretName = keyof typeof SERVICE_SECRETS;

const isServiceSecret = (name: string): name is ServiceSecretName => Object.hasOwn(SERVICE_SECRETS, name);
/** Every secret of an external service, by the name of its variable. */
export const SERVICE_SECRET_NAMES: readonly ServiceSecretName[] =
  Object.keys(SERVICE_SECRETS).filter(isServiceSecret);

/** Why a text is no valid value of this secret; null: it is valid. */
export function serviceSecretProblem(name: ServiceSecretName, text: string): string | null {
  const parsed = SERVICE_SECRETS[name].safeParse(text);
  return parsed.success ? null : (parsed.error.issues[0]?.message ?? "is not usable");
}

/** Secrets of the service itself by variable, with the format of each. */
const OWN_SECRETS = {
  ADMIN_SECRET: secret,
  OWNER_API_KEY: uuid,
  NEXTAUTH_SECRET: secret,
  ENCRYPTION_KEY: secret,
  ENCRYPTION_KEYS: versionedKeys,
  DATABASE_URL: url(["postgres:", "postgresql:"]),
  DATABASE_DIRECT_URL: url(["postgres:", "postgresql:"]),
  DATABASE_REPLICA_URL: url(["postgres:", "postgresql:"]),
  UPSTASH_REDIS_REST_TOKEN: z.string(),
  REDIS_URL: url(["redis:", "rediss:"]),
  METRICS_TOKEN: secret,
  AUDIT_WEBHOOK_SECRET: signingSecret,
  OIDC_CLIENT_SECRET: secret,
  BACKUP_PASSPHRASE: z.string().min(12, "must have at least 12 characters"),
  LEDGER_KEY: secret.min(32, "must have at least 32 characters"),
} as const;

/** Secrets that can be rotated without interruption: values in NAME_PREVIOUS and NAME_NEXT are accepted as well. */
const ROTATED = {
  ADMIN_SECRET: secret,
  NEXTAUTH_SECRET: secret,
  METRICS_TOKEN: secret,
  BACKUP_PASSPHRASE: OWN_SECRETS.BACKUP_PASSPHRASE,
  ...PLATFORM_SECRETS,
} as const satisfies Record<string, z.ZodType<string>>;
export type RotatedSecretName = keyof typeof ROTATED;

const isRotated = (name: string): name is RotatedSecretName => Object.hasOwn(ROTATED, name);
const ROTATED_NAMES = Object.keys(ROTATED).filter(isRotated);
const ALTERNATES = ["PREVIOUS", "NEXT"] as const;

const optionalOf = <T extends Record<string, z.ZodType>>(schemas: T) =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, optional(schema)])) as {
    [K in keyof T]: ReturnType<typeof optional<T[K]>>;
  };

/** All variables, without the forms `NAME_PREVIOUS`, `NAME_NEXT` and `NAME_FILE` of secrets and former names. */
const Variables = z.object({
  NODE_ENV: optional(z.enum(["development", "production", "test"])),
  PORT: optional(port),
  HOST: optional(address),
  BASE_URL: optional(url(["http:", "https:"])),
  DATA_DIR: optional(z.string()),
  ...optionalOf(OWN_SECRETS),
  ...optionalOf(SERVICE_SECRETS),
  UPSTASH_REDIS_REST_URL: optional(url(["http:", "https:"])),
  MAIL_FROM: optional(z.string().refine((text) => /@/.test(text), "must be a mail address")),
  MARKET_FEED: optional(marketFeed),
  TRUST_PROXY_HOPS: optional(
    z
      .string()
      .regex(/^[0-9]$/, "must be a number from 0 to 9")
      .transform(Number),
  ),
  TRUST_PROXY_FROM: optional(networks),
  DRAIN_DELAY_SECONDS: optional(whole(0, 300)),
  LOG_LEVEL: optional(z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"])),
  LOG_FILE: optional(z.string()),
  METRICS_PORT: optional(port),
  METRICS_HOST: optional(address),
  WORKER_PORT: optional(port),
  AUDIT_WEBHOOK_URL: optional(url(["http:", "https:"])),
  OIDC_ISSUER: optional(issuer),
  OIDC_CLIENT_ID: optional(z.string().trim()),
  WORKER: optional(z.enum(["inside", "none"])),
  BACKUP_DIR: optional(z.string()),
  API_ROOTS: optional(apiRoots),
  TUNING: optional(figures(DEFAULT_TUNING, MOST)),
});

/**
 * Variables that .env.example does not list: tools set NODE_ENV, and LEDGER_KEY is only read to restore ledger keys of
 * releases up to 1.2.0.
 */
const UNLISTED: readonly string[] = ["NODE_ENV", "LEDGER_KEY"];

export const VARIABLE_NAMES: readonly string[] = Object.keys(Variables.shape).filter(
  (name) => !UNLISTED.includes(name),
);

/** Every variable that holds a secret, so that its value may also be given in a file. */
export const SECRET_VARIABLES: readonly string[] = [
  ...new Set([...Object.keys(OWN_SECRETS), ...Object.keys(SERVICE_SECRETS)]),
  ...ROTATED_NAMES.flatMap((name) => ALTERNATES.map((which) => `${name}_${which}`)),
];

/** Variables of former releases that are still read, each with the present variable and the name in it that it sets. */
export const DEPRECATED_VARIABLES: Readonly<
  Record<string, readonly ["TUNING", Tuned] | readonly ["API_ROOTS", OuterService]>
> = {
  ADMIN_FAILURES_PER_MIN: ["TUNING", "admin-failures"],
  FEED_BACKFILL_CANDLES: ["TUNING", "backfill"],
  KEY_OPEN_REQUESTS: ["TUNING", "open-requests"],
  PRELOAD_PAGES: ["TUNING", "preload"],
  TELEGRAM_API_ROOT: ["API_ROOTS", "telegram"],
  OANDA_API_ROOT: ["API_ROOTS", "oanda"],
  CCXT_API_ROOT: ["API_ROOTS", "ccxt"],
};

export interface ParsedVariables {
  values: z.output<typeof Variables> | null;
  /** Values of `NAME_PREVIOUS` and `NAME_NEXT` by the name of the secret. */
  alternates: Readonly<Record<RotatedSecretName, readonly string[]>>;
  /** One line per problem of a variable, without its value. */
  problems: string[];
}

/**
 * Validates all variables. `values` is null if one of its variables is invalid. An invalid `NAME_PREVIOUS` or
 * `NAME_NEXT` is only listed in `problems`.
 */
export function parseVariables(given: Readonly<Record<string, string | undefined>>): ParsedVariables {
  const { source, problems } = withFormer(given);
  const parsed = Variables.safeParse(source);
  if (!parsed.success)
    problems.push(...parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${describe(issue)}`));
  const values = ROTATED_NAMES.map((name) => {
    const accepted = ALTERNATES.flatMap((which) => {
      const said = optional(ROTATED[name]).safeParse(source[`${name}_${which}`]);
      if (!said.success)
        problems.push(...said.error.issues.map((issue) => `${name}_${which}: ${describe(issue)}`));
      return said.success && said.data !== undefined ? [said.data] : [];
    });
    return [name, accepted] as const;
  });
  // The cast is safe: ROTATED_NAMES has every name of the record.
  const alternates = Object.fromEntries(values) as Record<RotatedSecretName, string[]>;
  return { values: parsed.success ? parsed.data : null, alternates, problems };
}

/** Translates variables of former releases into present ones. A present variable takes precedence. */
function withFormer(given: Readonly<Record<string, string | undefined>>) {
  const source: Record<string, string | undefined> = { ...given };
  const problems: string[] = [];
  for (const [name, [present, part]] of Object.entries(DEPRECATED_VARIABLES)) {
    const value = given[name]?.trim();
    if (!value) continue;
    const text = `${part}=${name === "PRELOAD_PAGES" ? { on: "1", off: "0" }[value] : value}`;
    if (!Variables.shape[present].safeParse(text).success) problems.push(`${name}: is not usable`);
    else source[present] = [text, source[present]].filter((each) => each?.trim()).join(",");
  }
  return { source, problems };
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_value") return `must be one of ${issue.values.join(", ")}`;
  if (issue.code === "too_small" || issue.code === "custom" || issue.code === "invalid_format")
    return issue.message;
  return "is not usable";
}

/** Whether the text is an IP address or a network in CIDR notation. */
function isNetwork(text: string): boolean {
  const [address = "", length, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return length === undefined || (/^[0-9]{1,3}$/.test(length) && Number(length) <= (family === 4 ? 32 : 128));
}

import postgres from "postgres";
import { OPERATIONS } from "@/app/operations.generated";
import { Dice } from "@/tests/support/dice";
import { startServer } from "@/tests/support/server";
import { ADDRESS_FORMS, type AddressForm, type RequestSpelling } from "./address-forms";
import { CALLERS, type Caller, Callers, FORM_HEADERS, OWNER_KEY, PRIVATE_DATA } from "./callers";
import { listRoutes, type Route } from "./routes";
import { closeKeptAliveConnections, sendRequest, type TestResponse } from "./send-request";
import {
  ACCESS_RULES,
  type AccessRuleName,
  CREDENTIAL_ENDING_ROUTES,
  ruleByRoute,
  UNUSUAL_STATUSES,
} from "./table";

const LANES = 6;
/** Numbers drawn in a run that is not complete: callers per route that is open to anyone, and further spellings per route. */
const DRAWN_CALLERS = 3;
const DRAWN_FORMS = 3;

export interface MatrixOptions {
  seed: number;
  /**
   * Whether every caller uses every spelling. Otherwise callers use the plain address, and a few spellings and callers
   * per route are drawn with the seed.
   */
  complete: boolean;
}

export interface MatrixReport {
  routes: number;
  callers: number;
  forms: number;
  requests: number;
  /** One line for each answer that contradicts the table. */
  failures: string[];
}

/**
 * Whether the answer is the portal's 404 page as router data, which has status 200, to a caller who may read portal
 * pages. The address of a portal file with another extension gets it.
 */
function isUnknownPage({ headers }: TestResponse, route: Route, caller: Caller): boolean {
  const readers: readonly Caller[] = ACCESS_RULES["a subscriber's page"].admits;
  return (
    route.template.startsWith("/portal/") &&
    readers.includes(caller) &&
    String(headers["content-type"]).startsWith("text/x-component")
  );
}

/** Routes that are missing from the table, and routes of the table that no longer exist. */
export function unmatchedRoutes(): { missing: string[]; stale: string[] } {
  const known = ruleByRoute();
  const there = new Set(listRoutes().map(({ name }) => name));
  return {
    missing: [...there].filter((name) => !known.has(name)),
    stale: [...known.keys()].filter((name) => !there.has(name)),
  };
}

/**
 * Requests every route of the built server and checks each answer against the table: as every caller in every spelling
 * of the address if `complete`, otherwise a part of these.
 */
export async function runMatrix(databaseUrl: string, options: MatrixOptions): Promise<MatrixReport> {
  const server = await startServer(databaseUrl, {
    WORKER: "none",
    LOG_LEVEL: "warn",
    TRUST_PROXY_HOPS: "1",
    OWNER_API_KEY: OWNER_KEY,
    TUNING: "admin-failures=100000,timeout-factor=10,preload=0",
    PAYMENT_WEBHOOK_SECRET: "matrix-webhook-secret-0123456789",
  });
  const sql = postgres(databaseUrl, { max: 2, onnotice: () => undefined });
  try {
    const callers = new Callers(server, sql);
    await callers.prepare();
    return await new Matrix(callers, await realIds(sql), options).run();
  } finally {
    closeKeptAliveConnections();
    await sql.end({ timeout: 2 });
    await server.kill();
  }
}

/** Ids of existing rows, for pages that show one. */
async function realIds(sql: postgres.Sql): Promise<Record<string, string>> {
  const [made] = await sql`
    select (select max(id) from subscriptions where user_name = ${PRIVATE_DATA.name}) as subscriber,
           (select max(id) from mail_outbox) as mail`;
  return { "/admin/subscribers": String(made?.subscriber), "/admin/mail": String(made?.mail) };
}

interface Question {
  route: Route;
  caller: Caller;
  form: AddressForm;
}

class Matrix {
  readonly #failures: string[] = [];
  readonly #ruleOf = ruleByRoute();
  readonly #dice: Dice;
  #asked = 0;

  constructor(
    readonly callers: Callers,
    readonly ids: Record<string, string>,
    readonly options: MatrixOptions,
  ) {
    this.#dice = new Dice(options.seed);
  }

  async run(): Promise<MatrixReport> {
    const routes = listRoutes();
    const questions = routes.flatMap((route) => this.#questionsAbout(route));
    const harmless = questions.filter(({ route }) => !CREDENTIAL_ENDING_ROUTES.includes(route.name));
    const lane = async () => {
      for (let next = harmless.pop(); next; next = harmless.pop()) await this.#put(next);
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    for (const question of questions.filter(({ route }) => CREDENTIAL_ENDING_ROUTES.includes(route.name))) {
      await this.#put(question);
      await this.callers.renew(question.caller);
    }
    return {
      routes: routes.length,
      callers: CALLERS.length,
      forms: ADDRESS_FORMS.length,
      requests: this.#asked,
      failures: this.#failures,
    };
  }

  #questionsAbout(route: Route): Question[] {
    const forms = ADDRESS_FORMS.filter((form) => form.applies(route));
    const ask = (form: AddressForm, callers: readonly Caller[]) =>
      callers.map((caller) => ({ route, caller, form }));
    if (this.options.complete) return forms.flatMap((form) => ask(form, CALLERS));
    const [plain, ...others] = forms as [AddressForm, ...AddressForm[]];
    const isOpen = this.#ruleOf.get(route.name) === "anyone";
    return [
      ...ask(plain, isOpen ? this.#draw(CALLERS, DRAWN_CALLERS) : CALLERS),
      ...this.#draw(others, DRAWN_FORMS).flatMap((form) => ask(form, this.#draw(CALLERS, 1))),
    ];
  }

  #draw<T>(list: readonly T[], n: number): T[] {
    return Array.from({ length: n }, () => this.#dice.pick(list));
  }

  async #put({ route, caller, form }: Question): Promise<void> {
    const rule = this.#ruleOf.get(route.name);
    if (rule === undefined) return;
    const spelled = form.spell(this.#plain(route, caller));
    const body = route.method === "POST" ? this.#bodyOf(route) : undefined;
    this.#asked++;
    const told = await sendRequest(this.callers.server.port, { ...spelled, body });
    const problem =
      this.#problemOf(told, { route, caller, form }, rule) ?? this.#leakIn(told, { route, caller });
    if (problem)
      this.#failures.push(
        `${route.name} by ${caller}, ${form.name} (${spelled.path}): ${told.status}, ${problem}`,
      );
  }

  #plain(route: Route, caller: Caller): RequestSpelling {
    const at = route.template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      if (name === "id" && route.method === "GET")
        return this.ids[route.template.split("/{")[0] ?? ""] ?? "999999";
      return PARAMETERS[name] ?? "999999";
    });
    const n = this.#asked;
    // Another client address for each request, so that failure limits per address do not apply.
    const address = `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
    const isForm = route.method === "POST" && operationOf(route) === undefined;
    return {
      method: route.method,
      path: at,
      headers: {
        "X-Forwarded-For": address,
        ...(isForm ? FORM_HEADERS : {}),
        ...this.callers.headersOf(caller),
      },
    };
  }

  #bodyOf(route: Route): string {
    const operation = operationOf(route);
    return operation ? JSON.stringify(operation.body?.example ?? {}) : (FOREIGN_BODIES[route.name] ?? "");
  }

  #problemOf(told: TestResponse, { route, caller, form }: Question, name: AccessRuleName): string | null {
    const { admits, refuses } = ACCESS_RULES[name];
    const isAdmitted = (admits as readonly Caller[]).includes(caller);
    if (told.status >= 500 && route.name !== "GET /api/health") return "a failure";
    if (form.expects === "no-way-in") {
      // Another spelling may be an unknown address, but must not grant access.
      return isAdmitted || name === "anyone" || told.status >= 300 || isUnknownPage(told, route, caller)
        ? null
        : "admits a caller without the right";
    }
    if (!isAdmitted) {
      const expected = refuses(caller);
      if (told.status !== expected) return `instead of ${expected}`;
      return isRedirect(expected) && !leadsToSignIn(told) ? `leads to ${told.headers.location}` : null;
    }
    const expected = UNUSUAL_STATUSES[route.name] ?? [usualStatus(route)];
    if (!expected.includes(told.status)) return `instead of ${expected.join(" or ")}`;
    const isSentAway = SIGN_IN.has(name) && isRedirect(told.status) && isSignIn(told);
    return isSentAway ? `leads to ${told.headers.location}` : null;
  }

  #leakIn(told: TestResponse, { caller }: { route: Route; caller: Caller }): string | null {
    const text = told.text + JSON.stringify(told.headers);
    if (this.callers.secrets.some((secret) => text.includes(secret))) return "tells a secret";
    if (MAY_READ_MARKS.includes(caller)) return null;
    const mark = Object.values(PRIVATE_DATA).find((known) => text.includes(known));
    return mark === undefined ? null : `tells of another subscriber: ${mark}`;
  }
}

const MAY_READ_MARKS: readonly Caller[] = [
  "the subscriber",
  "the subscriber's session",
  "the administrator's secret",
  "the administrator's session",
  "an owner's session",
  "a supporter's session",
  "a reader's session",
];

/** Values for path parameters; any other parameter gets an unknown id. */
const PARAMETERS: Readonly<Record<string, string>> = {
  symbol: "EURUSD",
  adapter: "stripe",
  tf: "H1",
  nextauth: "session",
  rest: "nowhere",
  file: "sign-in.html",
  what: "subscribers",
};

/** Request bodies of routes with another protocol, which the OpenAPI document leaves out. */
const FOREIGN_BODIES: Readonly<Record<string, string>> = {
  "POST /mcp": '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}',
};

function operationOf({ method, template }: Route) {
  return OPERATIONS.find((known) => known.path === template && known.method === method.toLowerCase());
}

function usualStatus(route: Route): number {
  return operationOf(route)?.ok.status ?? (route.method === "POST" ? 303 : 200);
}

/** Rules whose accepted callers may be redirected too, so that a redirect to the sign-in page must be told apart. */
const SIGN_IN: ReadonlySet<AccessRuleName> = new Set([
  "a subscriber's news",
  "a subscriber's form or file",
  "a signed-in person's form or file",
]);

const isRedirect = (status: number) => status === 303 || status === 307;
const isSignIn = ({ headers }: TestResponse) =>
  /^\/login(?:\?next=[^&]*(?:&notice=ended)?)?$/.test(headers.location ?? "");
/** Whether an answer redirects to a sign-in, or to the overview because of the administrator's role. */
const leadsToSignIn = ({ headers }: TestResponse) =>
  /^\/(?:(?:login|admin\/sign-in)(?:[/?]|$)|admin\?reason=role$)/.test(headers.location ?? "");

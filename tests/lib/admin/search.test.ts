import { beforeAll, describe, expect, it } from "vitest";
import { deliveryEffectLabel } from "@/app/admin/_components/payment-labels";
import { db } from "@/db/client";
import { searchPeople } from "@/db/queries/search";
import { searchEverything } from "@/lib/admin/search";
import { call, makeKey } from "@/tests/support/api";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { explainTableScans } from "@/tests/support/query-plan";

useDatabase();

const TICKET = 812_345_678;
const REQUEST = "search-test-0001";
let key: string;
let keyId: number;
let subscriptionId: number;

beforeAll(async () => {
  ({ key, keyId } = await makeKey({ email: "Grace.Hopper@Example.com" }));
  await call("POST", "/api/executions", {
    key,
    headers: { "X-Request-Id": REQUEST },
    body: { ticket: TICKET, symbol: "EURUSD", timeframe: "H1", signal: "BUY" },
  });
  await call("POST", "/api/executions", {
    key,
    headers: { "X-Request-Id": "refused-0001" },
    body: { ticket: "x" },
  });
  const sql = connectDirectly();
  const [row] = await sql<
    { subscription_id: number }[]
  >`select subscription_id from api_keys where id = ${keyId}`;
  subscriptionId = row!.subscription_id;
  await sql`update subscriptions set user_name = 'Grace 100%_Hopper' where id = ${subscriptionId}`;
  await sql`insert into payment_deliveries (body_digest, invoice_id, email_hash, payload_encrypted, action, answer)
            values ('d', 'INV-77', 'ab12', 'x', 'api_key_created', '{}')`;
  await sql.end();
});

const search = async (words: string) =>
  (await searchEverything(db(), words, deliveryEffectLabel)).map(({ kind, href }) => `${kind} ${href}`);

describe("the administration search", () => {
  const page = () => `/admin/subscribers/${subscriptionId}`;

  it.each([
    ["the beginning of a name", () => "grace", "person"],
    ["the beginning of a surname", () => "hop", "person"],
    ["words of the e-mail address in any order", () => "example grace", "person"],
    ["a name with the characters % and _ taken literally", () => "Grace 100%_H", "person"],
    ["the beginning of an e-mail address, in any case", () => "GRACE.hop", "person"],
    ["the first characters of a key", () => key.slice(0, 4), "key"],
    ["more of a key than is stored", () => key.slice(0, 13), "key"],
    ["a whole key", () => key.toUpperCase(), "key"],
    ["the hint of a key as it is shown", () => `${key.slice(0, 4)}****${key.slice(-4)}`, "key"],
    ["the ticket of a position", () => String(TICKET), "position"],
    ["the request of a refused report", () => "refused-0001", "request"],
  ])("the administration search finds a subscriber by %s", async (_, words, kind) => {
    expect(await search(words())).toContain(`${kind} ${page()}`);
  });

  it.each([
    ["Jürgen MÜNCHEN", ["JÜRGEN M", "jürgen mü", "jurgen", "ju\u0308rgen"]],
    ["Ju\u0308rgen Zerlegt", ["JÜRGEN Z", "jürgen z", "Jurgen z"]],
    ["Łukasz Żółć", ["łuk", "ŁUKASZ ZOŁC", "łukasz żół", "lukasz", "zolc", "ZÓŁ"]],
    ["José Novák", ["novak", "NOVÁK", "jose"]],
    ["Bjørn Straße-Øst", ["strasse", "bjorn", "øst", "OST"]],
    ["D'Arcy O'Neil", ["arcy", "neil", "o'neil"]],
    ["ИВАН Йорк", ["иван", "Иван Й", "иван и"]],
    ["Σοφία Λόγος", ["ΣΟΦΊΑ ΛΟΓΟΣ", "σοφια λογος"]],
  ])(
    "the administration search finds %s regardless of case, accents and Unicode form",
    async (name, asked) => {
      const made = await makeKey();
      const sql = connectDirectly();
      const [row] = await sql`select subscription_id as id from api_keys where id = ${made.keyId}`;
      await sql`update subscriptions set user_name = ${name} where id = ${row!.id}`;
      await sql.end();
      for (const words of asked) {
        expect(await search(words), words).toContain(`person /admin/subscribers/${row!.id}`);
        const { json } = await call("GET", `/admin/keys?q=${encodeURIComponent(words)}`, { admin: true });
        expect(
          json.keys.map(({ key_id }: { key_id: number }) => key_id),
          words,
        ).toContain(made.keyId);
      }
    },
  );

  it("the administration search finds words of a name in any order, using an index", async () => {
    const made = await makeKey({ user_name: "Augusta Ada King Łovelace" });
    const sql = connectDirectly();
    const [row] = await sql`select subscription_id as id from api_keys where id = ${made.keyId}`;
    for (const words of ["lovelace ada", "KING aug", "lov"])
      expect(await search(words), words).toContain(`person /admin/subscribers/${row!.id}`);
    expect(await search("lovelace bob")).toEqual([]);
    await sql`insert into subscriptions (user_name) select 'Person ' || n from generate_series(1, 5000) n`;
    await sql`analyze subscriptions`;
    const scans = await explainTableScans(sql, "subscriptions", () => searchPeople(db(), ["lovelace"], 5));
    expect(scans.map((scan) => scan["Node Type"])).toEqual(["Bitmap Heap Scan"]);
    // Common words together with a rare one: a scan in id order would normalise nearly every name.
    const common = await explainTableScans(sql, "subscriptions", () =>
      searchPeople(db(), ["person", "17"], 5),
    );
    expect(common.map((scan) => scan["Node Type"])).toEqual(["Bitmap Heap Scan"]);
    await sql.end();
  });

  it("the administration search finds the payment deliveries of an invoice", async () => {
    expect((await search("INV-77"))[0]).toMatch(/^payment \/admin\/payments\/\d+$/);
  });

  it.each([
    ["INV-77", /^Key created, \d{4}-/, "note"],
    ["refused-0001", /^Refused report: The request is invalid\.$/, "title"],
    ["audited-0001", /^Key: stop many$/, "title"],
  ] as const)("the administration search describes %s as its page does", async (words, text, where) => {
    const sql = connectDirectly();
    await sql`insert into admin_audit (actor, action, target, request_id, details)
              values ('command', 'key.stop_many', 'keys', 'audited-0001', '{}')`;
    await sql.end();
    expect((await searchEverything(db(), words, deliveryEffectLabel))[0]?.[where]).toMatch(text);
  });

  it("the administration search finds slots by symbol and timeframe", async () => {
    const sql = connectDirectly();
    await sql`insert into symbols (symbol, calendar, digits) values ('QQQEUR', 'crypto', 2)`;
    await sql`insert into slots (symbol, timeframe) values ('QQQEUR', 'H1'), ('QQQEUR', 'H4')`;
    await sql.end();
    expect(await search("qqqeur h4")).toEqual(["page /admin/signals/QQQEUR/H4"]);
    expect(await search("qqq")).toContain("page /admin/signals/QQQEUR/H1");
  });

  it.each(["", "   ", "%", "_race", "nobody", "9".repeat(40), "\0", "hopp_r"])(
    "the administration search finds nothing for %j, without an error",
    async (words) => {
      expect(await search(words)).toEqual([]);
    },
  );
});

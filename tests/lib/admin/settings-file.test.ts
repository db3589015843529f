import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { listPlans } from "@/db/queries/plans";
import { exportSettings, importSettings, type SettingsFile } from "@/lib/admin/settings/settings-file";
import { SETTINGS_LISTS } from "@/lib/admin/settings/settings-lists";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { settingInForce } from "@/lib/settings/registry";
import { makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { ingest, modelItem } from "@/tests/support/market-data";

useDatabase();

const actor = { kind: "command" } as const;
const run = (file: unknown, isTrial = false) => importSettings(db(), file, { isTrial }, actor);
const change = (
  file: SettingsFile,
  name: string,
  to: Partial<SettingsFile["plans"][number]>,
): SettingsFile => ({
  ...file,
  plans: file.plans.map((plan) => (plan.name === name ? { ...plan, ...to } : plan)),
});

describe("the settings file", () => {
  it("importing an unchanged export changes nothing", async () => {
    const file = JSON.parse(JSON.stringify(await exportSettings(db())));
    expect(file.products).toHaveLength(9);
    expect(await run(file)).toMatchObject({ ok: true, changed: [] });
  });

  it("the settings file imports new plans, swapped plan ranks and their products in one step", async () => {
    const file = await exportSettings(db());
    const pro = file.plans.find(({ name }) => name === "pro")!;
    const own = { ...pro, name: "desk", title: "Desk", rank: 150 };
    const first = { ...file, plans: [...file.plans, own] };
    expect(await run(first, true)).toMatchObject({ ok: true, changed: ["plan/desk"] });
    expect((await listPlans(db())).map(({ name }) => name)).not.toContain("desk");
    expect(await run(first)).toMatchObject({ ok: true, changed: ["plan/desk"] });

    const exchanged = change(change(first, "desk", { rank: 200 }), "basic", { rank: 150 });
    const product = {
      adapter: "stripe" as const,
      externalId: "p1",
      planTier: "desk",
      periodDays: 31,
      graceDays: 0,
    };
    expect(await run({ ...exchanged, products: [...file.products, product] })).toMatchObject({
      ok: true,
      changed: ["plan/basic", "plan/desk", "product/stripe/p1"].sort((a, b) => (a < b ? -1 : 1)),
    });
    expect((await listPlans(db())).map(({ name }) => name)).toEqual([
      "telegram",
      "basic",
      "desk",
      "pro",
      "owner",
    ]);
    expect(settingsCache().now.plans.map(({ rank }) => rank)).toEqual([100, 150, 200, 300, 1_000_000]);
    const audit = await db().execute(sql`select action, target, actor from admin_audit order by id`);
    expect(audit).toHaveLength(4);
    expect(audit[0]).toMatchObject({ action: "plan.import", target: "plan/desk", actor: "command" });
  });

  it("the settings file contains brand, texts, calendar days and thresholds, and is valid without them", async () => {
    const first = JSON.parse(JSON.stringify(await exportSettings(db())));
    const png =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const day = {
      calendar: "fx",
      day: "2026-12-24",
      kind: "early",
      closesAt: "12:00",
      note: "a broker's own",
    };
    const file = {
      ...first,
      brand: { ...first.brand, name: "Kestrel", logo: { mediaType: "image/png", content: png } },
      texts: [{ name: "imprint", content: "Kestrel, Example Street 1" }],
      calendarDays: [day],
      slotSettings: {
        health: { ...first.slotSettings.health, degradedLagMinutes: 45 },
        training: { ...first.slotSettings.training, everyHours: 24 },
      },
    };
    const changed = [
      "text/imprint",
      "calendar/fx/2026-12-24",
      "thresholds/health",
      "thresholds/training",
      "brand/service",
    ];
    expect(await run(file, true)).toMatchObject({ ok: true, changed });
    expect(settingsCache().now.brand.name).toBeNull();
    expect(await run(file)).toMatchObject({ ok: true, changed });
    expect(settingsCache().now).toMatchObject({
      brand: { name: "Kestrel", logo: { mediaType: "image/png" } },
      calendarDays: [{ calendar: "fx", day: "2026-12-24", kind: "early", closesAt: "12:00" }],
      texts: [{ name: "imprint", version: 1, isAsked: false }],
    });
    const again = JSON.parse(JSON.stringify(await exportSettings(db())));
    expect(again).toEqual({ ...file, plans: again.plans, products: again.products });
    expect(await run(again)).toMatchObject({ ok: true, changed: [] });
    const { brand: _, texts: __, calendarDays: ___, slotSettings: ____, ...before } = again;
    expect(await run(before)).toMatchObject({ ok: true, changed: [] });
    expect(settingsCache().now.brand.name).toBe("Kestrel");
  });

  it("a settings file of release 1.2.0 is imported with the baseline's numbers as the nearest level of caution", async () => {
    const file = await exportSettings(db());
    const numbers = { thresholdR: 0.04, z: 2.8, minIndependent: 60, shrinkageCandles: 300, expectedRr: 1.5 };
    const documents = { ...Object(file.documents), baseline: numbers };
    expect(await run({ ...file, documents })).toMatchObject({ ok: true, changed: ["setting/baseline"] });
    expect(await settingInForce(db(), "baseline")).toEqual({ caution: "careful" });
    const usual = { thresholdR: 0, z: 2.5, minIndependent: 40, shrinkageCandles: 240, expectedRr: 1 };
    const again = { ...file, documents: { ...documents, baseline: usual } };
    expect(await run(again)).toMatchObject({ ok: true, changed: ["setting/baseline"] });
    expect(await run(again)).toMatchObject({ ok: true, changed: [] });
  });

  it("a file without the trading-client field is read as from an earlier release: the plan telegram has no trading client", async () => {
    const file = await exportSettings(db());
    const plans = file.plans.map(({ tradingClient: _, ...plan }) => plan);
    expect(await run({ ...file, plans })).toMatchObject({ ok: true, changed: [] });
  });

  it("the import of a settings file reports every error of brand, texts and calendar days", async () => {
    const file = JSON.parse(JSON.stringify(await exportSettings(db())));
    const day = { calendar: "us_share", kind: "closed", closesAt: null, note: null };
    expect(
      await run({
        ...file,
        brand: {
          ...file.brand,
          accentLight: "#9db2ff",
          logo: { mediaType: "image/webp", content: Buffer.from("<svg/>").toString("base64") },
        },
        texts: [{ name: "terms", content: "{{nmae}}" }],
        calendarDays: [
          { ...day, day: "2026-11-28" },
          { ...day, day: "2026-12-23", kind: "early", closesAt: "17:00" },
          { ...day, day: "2026-12-22", kind: "early" },
        ],
      }),
    ).toEqual({
      ok: false,
      errors: [
        expect.stringMatching(/^texts: terms must not contain \{\{nmae\}\}/),
        "calendarDays: us_share 2026-11-28 is not a trading day of this calendar",
        "calendarDays: us_share 2026-12-23 closesAt must be before the usual end of the trading day",
        "calendarDays: us_share 2026-12-22 needs closesAt for an early close, and for nothing else",
        expect.stringMatching(/^brand: accentLight has a contrast of 1\.\d\d to 1 /),
        "brand: logo must be a picture of type image/png or image/webp",
      ],
    });
  });

  it.each([
    [{ logo: {} }, /^brand: logo must be a picture/],
    [{ logo: "x" }, /^brand: logo must be a picture/],
    [{ logo: { mediaType: "image/png", content: "A".repeat(90_004) } }, /^brand: logo must be a picture/],
    [{ name: 5 }, /^brand: name /],
    [{ nmae: "Kestrel" }, /^brand: must not have nmae$/],
  ])("a settings file is refused with the brand %j", async (wrong, error) => {
    const file = await exportSettings(db());
    expect(await run({ ...file, brand: { ...Object(file.brand), ...wrong } })).toEqual({
      ok: false,
      errors: [expect.stringMatching(error)],
    });
  });

  it("a settings file's mistakes are named in the words of the forms", async () => {
    const file = await exportSettings(db());
    const [plan] = file.plans;
    const { name: _, ...nameless } = plan!;
    const wrong = {
      rank: 0,
      rateLimitPerMin: 1.5,
      title: " ",
      symbols: [],
      stream: "yes",
      shopUrl: "x",
      more: 1,
    };
    expect(
      await run({ ...file, version: 2, plans: [{ ...plan, ...wrong }, nameless, { ...plan, rank: "1" }] }),
    ).toEqual({
      ok: false,
      errors: [
        "version: must be 1",
        "plans.0.title: must not be empty",
        "plans.0.rank: must be a whole number from 1 to 2000000",
        "plans.0.symbols: must be a list of 1 to 200 entries",
        "plans.0.rateLimitPerMin: must be a whole number from 1 to 100000",
        "plans.0.stream: must be true or false",
        "plans.0.shopUrl: must be an address that begins with https:// or http://",
        "plans.0: must not have more",
        "plans.1.name: is required",
        "plans.2.rank: must be a whole number from 1 to 2000000",
      ],
    });
  });

  it("a settings file that would leave subscribers without a slot is refused with their count, unless confirmed", async () => {
    await ingest("models", [modelItem("EURUSD")]);
    await makeKey({ plan_tier: "basic" });
    await makeKey({ plan_tier: "basic" });
    const file = change(await exportSettings(db()), "basic", { symbols: ["NOSUCH"] });
    const refused = {
      ok: false,
      errors: ["plans: basic would cut off 2 subscribers; --cut-off stores it anyway"],
    };
    expect(await run(file)).toEqual(refused);
    expect(await run(file, true)).toEqual(refused);
    const former = change(file, "basic", { symbols: ["EURUSD", "GBPUSD", "XAUUSD"] });
    const forced = await importSettings(db(), file, { mayCutOff: true }, actor);
    expect(forced).toMatchObject({ ok: true, changed: ["plan/basic"] });
    expect(await run(former)).toMatchObject({ ok: true });
  });

  it("an import lists each change with the labels and values of the settings' forms", async () => {
    const file = await exportSettings(db());
    const documents = file.documents as Record<string, object>;
    const changed = {
      ...change(file, "basic", { priceText: "29 EUR", rateLimitPerMin: 90, isShown: false }),
      symbols: [...file.symbols, { ...file.symbols[0]!, symbol: "QQQEUR", aliases: [] }],
      documents: {
        ...documents,
        downtime_credit: { ...documents.downtime_credit, share: 0.25, enabled: false },
      },
    };
    const imported = await run(changed, true);
    expect(imported.ok && imported.lines).toEqual([
      "Plan basic: Requests per minute 60 → 90, Price shown – → 29 EUR, Offered on the site yes → no",
      "Symbol QQQEUR: new",
      "Downtime credits: Share of slots late 50 % → 25 %, Give downtime credits yes → no",
    ]);
  });

  it("the labels of an import's changes are those of the settings' forms", () => {
    const folder = "app/admin/(area)/settings";
    const forms = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".tsx"))
      .map((name) => readFileSync(join(folder, name), "utf8"))
      .join("\n");
    const labels = SETTINGS_LISTS.flatMap((list) => Object.values<string>(list.labels));
    const notOnForms = labels.filter((label) => !forms.includes(`label="${label}"`));
    // A symbol's form says in a sentence that its hours were guessed. A slot's timeframe never changes.
    expect(notOnForms).toEqual(["Trading hours guessed", "Timeframe"]);
  });

  it("a settings file is refused as a whole, with every error", async () => {
    const file = await exportSettings(db());
    const before = await exportSettings(db());
    const wrong = change(change(file, "pro", { rank: 50 }), "owner", { symbols: ["EURUSD"] });
    const gold = {
      adapter: "generic" as const,
      externalId: "g",
      planTier: "gold",
      periodDays: 1,
      graceDays: 0,
    };
    expect(await run({ ...wrong, products: [gold, gold] })).toEqual({
      ok: false,
      errors: [
        "plans: telegram, basic, pro, owner must keep this order of rank",
        "plans: owner must not be narrowed",
        "products: generic/g is listed twice",
        "products: generic/g buys gold, which is not a plan for sale",
        "products: generic/g buys gold, which is not a plan for sale",
      ],
    });
    const shapes = await run({
      ...file,
      version: 2,
      plans: [{ ...file.plans[0], rank: "1", shopUrl: "ftp://x" }],
      more: 1,
    });
    expect(shapes.ok).toBe(false);
    expect(shapes.ok ? [] : shapes.errors.map((error) => error.split(":")[0])).toEqual([
      "version",
      "plans.0.rank",
      "plans.0.shopUrl",
      "file",
    ]);
    expect(await exportSettings(db())).toEqual(before);
  });
});

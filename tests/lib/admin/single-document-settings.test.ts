import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { exportSettings, importSettings } from "@/lib/admin/settings/settings-file";
import { storedValueVersion } from "@/lib/runtime/setting-change-preview";
import { settingInForce } from "@/lib/settings/registry";
import {
  type AdminFormHandler,
  formHandlerOfSetting,
  postFormForFlash,
  signInAdmin,
  storeSetting,
} from "@/tests/support/admin-browser";
import { makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { deliver, freshEmail, paymentEvent, WEBHOOK_SECRET } from "@/tests/support/payments";

useDatabase({ PAYMENT_WEBHOOK_SECRET: WEBHOOK_SECRET });

let cookie = "";
beforeAll(async () => {
  cookie = await signInAdmin();
});

const saveBrand = formHandlerOfSetting("brand");
const saveNotice = formHandlerOfSetting("end_notice");
const saveCredit = formHandlerOfSetting("downtime_credit");
const saveEvents = formHandlerOfSetting("payment_events");
const saveUnmapped = formHandlerOfSetting("unmapped_product");
const saveBaseline = formHandlerOfSetting("baseline");

type Handler = AdminFormHandler<Record<string, never>>;

const send = (handler: Handler, fields: Record<string, string>) =>
  postFormForFlash(handler, {}, fields, cookie);
const store = async (handler: Handler, fields: Record<string, string>) =>
  (await storeSetting(handler, {}, fields, cookie)).lines;

const auditOf = async (target: string) =>
  db().execute<{ action: string; details: Record<string, unknown> }>(
    sql`select action, details from admin_audit where target = ${target} order by id`,
  );

const credit = { enabled: "true", threshold_minutes: "90", share_pct: "75", preview_hours: "48" };
const events = {
  failed: "charge.failed\ncharge.late",
  chargeback_won: "dispute.won",
  failure_grace_days: "5",
};
const baseline = { caution: "bold" };

describe("single-document settings", () => {
  it("downtime credits preview how many subscribers they concern, and a change is audited with the old and new value", async () => {
    await makeKey({ email: freshEmail(), expires_at: new Date(Date.now() + 86_400_000).toISOString() });
    const lines = await store(saveCredit, credit);
    expect(lines[0]).toMatch(/1 subscriber with an end of access is checked.* 75 % .* 90 minutes/);
    expect(await settingInForce(db(), "downtime_credit")).toEqual({
      enabled: true,
      thresholdMinutes: 90,
      share: 0.75,
      previewHours: 48,
    });
    expect(await auditOf("setting/downtime_credit")).toMatchObject([
      { action: "setting.change", details: { before: { share: 0.5 }, after: { share: 0.75 } } },
    ]);
    const { enabled: _, ...off } = credit;
    expect((await store(saveCredit, off))[0]).toContain("No more downtime credits");
  });

  it("the generic platform gets event names for failed payments, from the next delivery on", async () => {
    const email = freshEmail();
    await deliver(paymentEvent({ email, productId: "unheard-of", event: "charge.late" }));
    const lines = await store(saveEvents, events);
    expect(lines[0]).toContain("1 delivery of the last 30 days had one of these names");
    await deliver(paymentEvent({ email }));
    await db().execute(sql`update api_keys set expires_at = now() + interval '1 hour'
      where subscription_id = (select id from subscriptions where email_normalized = ${email})`);
    await deliver(paymentEvent({ email, productId: "unheard-of", event: "charge.failed" }));
    const [grace] = await db().execute<{ days: number }>(sql`
      select round(extract(epoch from ends_at - now()) / 86400)::int as days from payment_graces`);
    expect(grace?.days).toBe(5);
    const both = { ...events, chargeback_won: "charge.failed" };
    expect(await send(saveEvents, both)).toMatchObject({
      kind: "form",
      errors: { chargeback_won: "must not name charge.failed: that is a failed payment" },
    });
  });

  it("a payment for an unmapped product gives the days and the grace of the setting", async () => {
    const lines = await store(saveUnmapped, { days: "14", grace_days: "1" });
    expect(lines[0]).toContain("buys 14 days with 1 day of grace, instead of 31 with 3");
    const paid = await deliver(paymentEvent({ email: freshEmail(), productId: "nobody-knows" }));
    expect((Date.parse(paid.json.expires) - Date.now()) / 86_400_000).toBeCloseTo(15, 1);
  });

  it("the operator sets the caution of the baseline", async () => {
    const lines = await store(saveBaseline, baseline);
    expect(lines[0]).toContain("0 slots are served by the baseline.");
    expect(await settingInForce(db(), "baseline")).toEqual({ caution: "bold" });
  });

  it.each([
    [saveCredit, { ...credit, share_pct: "0" }, "share_pct"],
    [saveUnmapped, { days: "0", grace_days: "1" }, "days"],
    [saveEvents, { ...events, failure_grace_days: "91" }, "failure_grace_days"],
    [saveBaseline, { caution: "reckless" }, "caution"],
    [saveNotice, { days: "soon" }, "days"],
  ] as const)("a setting is refused with an invalid field: %#", async (handler, fields, wrong) => {
    const flash = await send(handler, fields);
    expect(flash?.kind === "form" ? Object.keys(flash.errors) : flash).toEqual([wrong]);
  });

  it("the settings file exports and imports single-document settings, notice days and slot overrides", async () => {
    await store(saveNotice, { days: "14, 2" });
    const file = JSON.parse(JSON.stringify(await exportSettings(db())));
    expect(file.documents).toMatchObject({ end_notice: { days: [14, 2] }, unmapped_product: { days: 14 } });
    const run = (content: unknown) => importSettings(db(), content, {}, { kind: "command" });
    expect(await run(file)).toMatchObject({ ok: true, changed: [] });
    const slot = {
      symbol: "EURUSD",
      timeframe: "H1",
      graceMinutes: 30,
      isTrained: null,
      trainEveryHours: 24,
    };
    const other = {
      ...file,
      slots: [slot],
      documents: { ...file.documents, end_notice: { days: [5] } },
    };
    expect(await run(other)).toMatchObject({ ok: true, changed: ["slot/EURUSD/H1", "setting/end_notice"] });
    expect(await run(other)).toMatchObject({ ok: true, changed: [] });
    expect((await exportSettings(db())).slots).toEqual([slot]);
    const wrong = await run({
      ...other,
      slots: [slot, slot],
      documents: { payment_events: { failed: ["a"], chargebackWon: ["a"], failureGraceDays: 3 } },
    });
    expect(wrong).toEqual({
      ok: false,
      errors: [
        "slots: EURUSD/H1 is listed twice",
        "documents: payment_events chargebackWon must not name a: that is a failed payment",
      ],
    });
  });
});

describe("a form overtaken by another save", () => {
  const nothing = {
    accent_light: "",
    accent_dark: "",
    sender_name: "",
    sender_address: "",
    support_address: "",
    shop_url: "",
  };

  it("a form overtaken by another save is not stored, keeps its input and shows what saving would revert", async () => {
    const version = storedValueVersion(await settingInForce(db(), "brand"));
    const first = { ...nothing, name: "Kestrel", version };
    const second = { ...nothing, name: "", support_address: "help@example.com", version };
    const ahead = await send(saveBrand, second);
    await store(saveBrand, first);

    expect(await send(saveBrand, second)).toEqual({
      kind: "overtaken",
      form: "brand.save",
      values: { ...nothing, name: "", support_address: "help@example.com" },
    });
    const mark = ahead?.kind === "preview" ? ahead.mark : "";
    expect(await send(saveBrand, { ...second, mark })).toMatchObject({ kind: "overtaken" });
    expect((await settingInForce(db(), "brand")).name).toBe("Kestrel");

    const again = { ...second, version: storedValueVersion(await settingInForce(db(), "brand")) };
    expect(await send(saveBrand, again)).toMatchObject({
      kind: "preview",
      lines: expect.arrayContaining([expect.stringContaining("instead of Kestrel")]),
    });
  });
});

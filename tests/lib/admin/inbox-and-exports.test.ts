import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { DELIVERY_EFFECT_LABELS, FLAG_LABELS, REASON_LABELS } from "@/app/admin/_components/payment-labels";
import { POST as messageForms } from "@/app/admin/(area)/mail/[id]/act/route";
import { GET as template } from "@/app/admin/(area)/mail/templates/[file]/route";
import { GET as exportCsv } from "@/app/admin/(area)/operations/export/[what]/route";
import { DELIVERY_FILTERS } from "@/app/admin/(area)/payments/_components/delivery-filters";
import { POST as reapply } from "@/app/admin/(area)/payments/[id]/reapply/route";
import { POST as reveal } from "@/app/admin/(area)/payments/[id]/reveal/route";
import { POST as review } from "@/app/admin/(area)/payments/[id]/review/route";
import { GET as metrics } from "@/app/metrics/route";
import { db } from "@/db/client";
import { listAudit, listAuditActions } from "@/db/queries/audit";
import { findPaymentDelivery, readPaymentDeliveryCounts } from "@/db/queries/payment-deliveries";
import { describeConfiguration } from "@/lib/admin/describe-configuration";
import { MAIL_KINDS } from "@/lib/outbound/mail/kinds";
import { env } from "@/lib/runtime/env";
import { postAdminForm, signInAdmin, takeFlash } from "@/tests/support/admin-browser";
import { call, makeKey } from "@/tests/support/api";
import { ADMIN_SECRET, useDatabase } from "@/tests/support/database";
import { deliver, paymentEvent, WEBHOOK_SECRET } from "@/tests/support/payments";

const { resend } = messageForms.forms;

useDatabase({ PAYMENT_WEBHOOK_SECRET: WEBHOOK_SECRET });

let cookie = "";
beforeAll(async () => {
  cookie = await signInAdmin();
});

const flash = () => takeFlash(cookie);

async function newestDelivery(): Promise<number> {
  const [row] = await db().execute<{ id: number }>(sql`select max(id)::int as id from payment_deliveries`);
  return row?.id ?? 0;
}

const document = (handler: typeof exportCsv, what: string, signedIn = true) =>
  handler(
    new Request("https://signals.example.test/admin/x", { headers: signedIn ? { Cookie: cookie } : {} }),
    { params: Promise.resolve({ what }) },
  );

describe("the payment inbox", () => {
  it("a flagged delivery is listed for review until it is reviewed", async () => {
    await deliver(paymentEvent({ productId: "999", itemName: "Mystery" }));
    const id = await newestDelivery();
    expect((await readPaymentDeliveryCounts(db())).flagged).toBe(1);
    await postAdminForm(review, { id: String(id) }, {}, { cookie });
    expect((await readPaymentDeliveryCounts(db())).flagged).toBe(0);
    expect((await findPaymentDelivery(db(), id))?.reviewedAt).toBeInstanceOf(Date);
    await postAdminForm(review, { id: String(id) }, {}, { cookie });
    const rows = await listAudit(db(), { action: "payment.review" }, 10);
    expect(
      rows.map((row) => row.target),
      "recorded once",
    ).toEqual([`delivery/${id}`]);
    await flash();
  });

  it("a payload is shown once per request and audited", async () => {
    const event = paymentEvent({ email: "payload@example.com" });
    await deliver(event);
    const id = await newestDelivery();
    await postAdminForm(reveal, { id: String(id) }, {}, { cookie });
    const shown = await flash();
    expect(shown).toMatchObject({ kind: "payload", deliveryId: id });
    expect(JSON.parse(shown?.kind === "payload" ? shown.text : "{}")).toEqual(event);
    expect(await flash()).toBeNull();
    const [row] = await listAudit(db(), { action: "payment.payload_read" }, 1);
    expect(row?.target).toBe(`delivery/${id}`);
  });

  it("applying a delivery again creates no second key and reports the outcome", async () => {
    await deliver(paymentEvent());
    const id = await newestDelivery();
    const count = async () => (await db().execute(sql`select 1 from api_keys`)).length;
    const before = await count();
    const answer = await postAdminForm(reapply, { id: String(id) }, {}, { cookie });
    expect(answer.headers.get("location")).toBe(`/admin/payments/${id}`);
    expect(await flash()).toMatchObject({ kind: "done" });
    expect(await count()).toBe(before);
    expect((await findPaymentDelivery(db(), id))?.reappliedAt).toBeInstanceOf(Date);
  });

  it("an unreadable delivery has labels for its outcome, reason and flags, and its outcome can be filtered", async () => {
    expect((await deliver("{ no JSON")).status).toBe(400);
    const delivery = await findPaymentDelivery(db(), await newestDelivery());
    expect(delivery).toMatchObject({ action: "rejected", flags: ["unreadable"] });
    expect(DELIVERY_EFFECT_LABELS[delivery!.action]).toMatch(/^[A-Z]/);
    expect(REASON_LABELS[delivery!.reason ?? ""]).toMatch(/ /);
    for (const flag of delivery!.flags) expect(FLAG_LABELS[flag]?.long).toMatch(/\.$/);
    expect(DELIVERY_FILTERS.effect.reads.parse(delivery!.action)).toBe("rejected");
  });

  it("applying an unknown payment delivery again fails with a message", async () => {
    await postAdminForm(reapply, { id: "999999" }, {}, { cookie });
    expect(await flash()).toMatchObject({ kind: "failed" });
  });
});

describe("resending mail and viewing mail templates", () => {
  it("an abandoned mail is resent to the subscriber's corrected address, not to one in the form", async () => {
    await deliver(paymentEvent({ email: "typo@exmaple.com" }));
    const [mail] = await db().execute<{ id: number }>(sql`
      update mail_outbox set status = 'dead', last_error_code = '550'
       where recipient = 'typo@exmaple.com' returning id`);
    await db().execute(
      sql`update subscriptions set email = 'typo@example.com' where email = 'typo@exmaple.com'`,
    );
    await postAdminForm(resend, { id: String(mail?.id) }, { recipient: "mallory@example.com" }, { cookie });
    expect(await flash()).toMatchObject({ kind: "done" });
    const [again] = await db().execute<{ recipient: string; status: string; secret: boolean }>(sql`
      select recipient, status, secret_encrypted is not null as secret from mail_outbox order by id desc limit 1`);
    expect(again).toEqual({ recipient: "typo@example.com", status: "pending", secret: true });
  });

  it.each(MAIL_KINDS)("the mail template %s can be viewed by the administrator only", async (kind) => {
    const get = (headers: Record<string, string>) =>
      template(new Request("https://signals.example.test/admin/x", { headers }), {
        params: Promise.resolve({ file: `${kind}.html` }),
      });
    const shown = await get({ Cookie: cookie });
    expect(shown.headers.get("content-type")).toContain("text/html");
    expect(await shown.text()).toMatch(/<html[\s\S]*<\/html>/);
    expect((await get({})).status).toBe(303);
  });
});

describe("CSV exports", () => {
  it("subscribers are exported as CSV with escaped text and without keys", async () => {
    const made = await call("POST", "/admin/keys", {
      admin: true,
      body: { user_name: '=cmd|"x"', email: "csv@example.com", notes: "two\nlines, and a comma" },
    });
    const answer = await document(exportCsv, "subscribers");
    expect(answer.headers.get("content-disposition")).toMatch(
      /attachment; filename="subscribers-\d{4}-\d\d-\d\d\.csv"/,
    );
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const text = await answer.text();
    expect(text).toContain(`"'=cmd|""x"""`);
    expect(text).toContain('"two\nlines, and a comma"');
    expect(text).not.toContain(made.json.api_key);
    expect(text.split("\r\n")[0]).toMatch(/^key_id,subscriber_id,user_name/);
  });

  it("every execution is in the export, across pages of the query", async () => {
    const { keyId } = await makeKey();
    await db().execute(sql`
      insert into executions (subscription_id, ticket, symbol, symbol_sent, timeframe, signal, opened_at, pnl)
      select k.subscription_id, n, 'EURUSD', 'EURUSD', 'H1', 'SELL', now(), -0.10
        from api_keys k, generate_series(1, 4500) n where k.id = ${keyId}`);
    const lines = (await (await document(exportCsv, "executions")).text()).trimEnd().split("\r\n");
    expect(lines).toHaveLength(4501);
    expect(lines[1], "a negative amount stays a number").toContain(",-0.10,");
    expect(new Set(lines.map((line) => line.split(",")[2])).size).toBe(4501);
  });

  it.each(["deliveries", "audit"])("the table of %s can be exported, with an audit row", async (what) => {
    const answer = await document(exportCsv, what);
    expect(answer.status).toBe(200);
    const lines = (await answer.text()).trimEnd().split("\r\n");
    expect(lines.length).toBeGreaterThan(1);
    const [row] = await listAudit(db(), { action: "export" }, 1);
    expect(row?.target).toBe(what);
  });

  it("an export is refused without a session, and is 404 for an unknown table", async () => {
    expect((await document(exportCsv, "subscribers", false)).status).toBe(303);
    expect((await document(exportCsv, "api_keys")).status).toBe(404);
  });
});

describe("configuration, audit log and metrics", () => {
  it("describeConfiguration contains no secret, only that it is set", () => {
    const shown = JSON.stringify(describeConfiguration(env()));
    const { adminSecret, serviceSecrets, nextauthSecret, encryptionKeys, databaseUrl } = env();
    for (const secret of [
      adminSecret,
      serviceSecrets.PAYMENT_WEBHOOK_SECRET[0],
      nextauthSecret,
      encryptionKeys[0].secret,
      databaseUrl,
    ])
      expect(shown).not.toContain(secret);
    expect(shown).toContain('"PAYMENT_WEBHOOK_SECRET","value":"set"');
  });

  it("the action filter of the audit log lists the actions that occurred", async () => {
    const actions = await listAuditActions(db());
    expect(actions).toEqual([...new Set(actions)].toSorted());
    expect(actions).toContain("admin.sign_in");
  });

  it("the audit log pages have no gaps", async () => {
    const all = await listAudit(db(), {}, 10_000);
    const paged: number[] = [];
    let beforeId: number | undefined;
    for (;;) {
      const rows = await listAudit(db(), { beforeId }, 3);
      paged.push(...rows.map((row) => row.id));
      beforeId = rows.at(-1)?.id;
      if (rows.length < 3) break;
    }
    expect(paged).toEqual(all.map((row) => row.id));
  });

  it("/metrics accepts only the administrator secret or the metrics token as bearer", async () => {
    const get = (headers: Record<string, string>) =>
      metrics(new Request("https://x.test/metrics", { headers }), { params: Promise.resolve({}) });
    const answer = await get({ "X-Admin-Secret": ADMIN_SECRET });
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expect(text).toContain("# TYPE sds_request_duration_seconds histogram");
    expect(text).toContain("sds_database_up 1");
    expect(text).toContain(
      "# HELP sds_mail_oldest_pending_seconds Age of the oldest waiting mail, in seconds.",
    );
    expect((await get({})).status).toBe(401);
    expect((await get({ "X-Admin-Secret": "wrong" })).status).toBe(403);
    expect((await get({ Authorization: "Bearer anything" })).status, "without METRICS_TOKEN").toBe(401);
    env().metricsToken = "a-token";
    expect((await get({ Authorization: "Bearer a-token" })).status).toBe(200);
    expect((await get({ Authorization: "Bearer another" })).status).toBe(401);
    const { alternates } = env();
    env().alternates = { ...alternates, METRICS_TOKEN: ["another"] };
    expect((await get({ Authorization: "Bearer another" })).status, "while it is replaced").toBe(200);
    env().alternates = alternates;
    env().metricsToken = null;
  });
});

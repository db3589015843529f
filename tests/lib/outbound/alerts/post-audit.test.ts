import type postgres from "postgres";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { readAuditQueueState } from "@/db/queries/audit";
import { postAuditEntries } from "@/lib/outbound/alerts/post-audit";
import { newSigningSecret } from "@/lib/outbound/webhooks/secret";
import { recordAudit, recordAudits } from "@/lib/runtime/audit";
import { env } from "@/lib/runtime/env";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { startWebhookReceiver, type WebhookReceiver } from "@/tests/support/receiver";

useDatabase();

const secret = newSigningSecret();
const worker = { kind: "worker" } as const;
let sql: postgres.Sql;
let receiver: WebhookReceiver;

beforeAll(async () => {
  sql = connectDirectly();
  receiver = await startWebhookReceiver();
});
afterAll(async () => {
  await receiver.close();
  await sql.end();
});
beforeEach(async () => {
  await sql`truncate admin_audit, audit_posts`;
  receiver.received.length = 0;
  Object.assign(env(), { auditWebhook: { url: receiver.url, secret } });
});

const post = () => postAuditEntries(db(), new AbortController().signal);

describe("entries of the audit log", () => {
  it("audit entries are posted to the operator's server, signed, each once and in order", async () => {
    await recordAudits(
      db(),
      Array.from({ length: 20 }, (_, n) => ({ actor: worker, action: "key.revoke", target: `key/${n}` })),
    );
    await post();
    await post();
    const bodies = receiver.received.map(({ body, headers }) => {
      // Throws when the signature is wrong.
      new Webhook(secret).verify(body, headers as Record<string, string>);
      return JSON.parse(body);
    });
    expect(bodies.map(({ data }) => data.target)).toEqual(Array.from({ length: 20 }, (_, n) => `key/${n}`));
    expect(bodies[0]).toEqual({
      type: "audit.entry",
      timestamp: expect.stringMatching(/Z$/),
      data: {
        id: expect.any(Number),
        actor: "worker",
        action: "key.revoke",
        target: "key/0",
        subscription_id: null,
        details: {},
        address: null,
        request_id: null,
      },
    });
    expect(receiver.received[0]?.headers["webhook-id"]).toBe(`audit_${bodies[0].data.id}`);
    expect((await readAuditQueueState(db())).pending).toBe(0);
  });

  it("audit entries wait in order while the server refuses them, and none is dropped", async () => {
    receiver.answer((response) => response.writeHead(503).end());
    await recordAudit(db(), { actor: worker, action: "plan.change", target: "plan/pro" });
    await recordAudit(db(), { actor: worker, action: "plan.change", target: "plan/basic" });
    for (let n = 0; n < 15; n++) {
      await post();
      await sql`update audit_posts set next_attempt_at = now()`;
    }
    expect(new Set(receiver.received.map(({ body }) => JSON.parse(body).data.target))).toEqual(
      new Set(["plan/pro"]),
    );
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    const waiting = await sql`select attempts, last_code from audit_posts order by audit_id`;
    expect(waiting).toEqual([
      { attempts: 15, last_code: "status_503" },
      { attempts: 0, last_code: null },
    ]);
    receiver.answer((response) => response.end());
    await post();
    expect((await readAuditQueueState(db())).pending).toBe(0);
  });

  it("audit entries are queued in the transaction of their change, and only when a server is configured", async () => {
    await db()
      .transaction(async (tx) => {
        await recordAudit(tx, { actor: worker, action: "a", target: "b" });
        throw new Error("undone");
      })
      .catch(() => undefined);
    expect((await readAuditQueueState(db())).pending).toBe(0);
    Object.assign(env(), { auditWebhook: null });
    await recordAudit(db(), { actor: worker, action: "a", target: "b" });
    expect((await readAuditQueueState(db())).pending).toBe(0);
    expect(await sql`select 1 from admin_audit`).toHaveLength(1);
  });
});

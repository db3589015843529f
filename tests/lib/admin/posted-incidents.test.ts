import { describe, expect, it } from "vitest";
import { GET as feed } from "@/app/(site)/status/feed.json/route";
import { POST as statusForms } from "@/app/admin/(area)/status/act/route";
import { db } from "@/db/client";
import { listNewestEpisodes } from "@/db/queries/alerts";
import { listAudit } from "@/db/queries/audit";
import { postIncident } from "@/lib/admin/posted-incidents";
import { readIncidents } from "@/lib/health/read-status-page";
import { trackIncidents } from "@/lib/health/track-incidents";
import { postFormForFlash, signInAdmin } from "@/tests/support/admin-browser";
import { connectDirectly, useDatabase } from "@/tests/support/database";

useDatabase();

const { post, update } = statusForms.forms;
const LONG_AGO = new Date(0);
const incident = {
  title: "Wrong prices",
  severity: "degraded",
  message: "XAUUSD is off by a factor of ten.",
  newest_shown: "0",
};

describe("a manual incident", () => {
  it("a manual incident is in readIncidents and the status feed, takes updates, and is resolved once", async () => {
    const cookie = await signInAdmin();
    expect(await postFormForFlash(post, {}, incident, cookie)).toMatchObject({ kind: "done" });
    const [posted] = (await readIncidents(LONG_AGO)).posted;
    expect(posted).toMatchObject({ title: incident.title, severity: "degraded", resolvedAt: null });
    const say = (stage: string, message: string) =>
      postFormForFlash(update, {}, { incident: `posted/${posted?.id}`, stage, message }, cookie);
    expect(await say("identified", "A feed sent cents.")).toMatchObject({ kind: "done" });
    expect(await say("resolved", "The feed is corrected.")).toMatchObject({ kind: "done" });
    expect(await say("update", "One more thing.")).toMatchObject({ kind: "failed" });
    const [ended] = (await readIncidents(LONG_AGO)).posted;
    expect(ended?.resolvedAt).toBeInstanceOf(Date);
    expect(ended?.updates.map(({ stage, message }) => [stage, message])).toEqual([
      ["investigating", incident.message],
      ["identified", "A feed sent cents."],
      ["resolved", "The feed is corrected."],
    ]);
    expect((await listAudit(db(), { action: "incident.update" }, 9)).length).toBe(2);
    const alerts = (await listNewestEpisodes(db(), 9)).filter(({ subject }) =>
      subject.startsWith(`posted-incident/${posted?.id}`),
    );
    expect(alerts.map(({ topic, title, text }) => [topic, title, text])).toEqual([
      ["health", "Resolved: Wrong prices", "The feed is corrected."],
      ["health", "Incident: Wrong prices", incident.message],
    ]);
    const told = await (await feed()).json();
    expect(told.items[0]).toMatchObject({ title: incident.title });
    expect(told.items[0].content_text).toContain("Resolved: The feed is corrected.");
  });

  it("of two incidents posted at once from the same page, one is published and the other names it", async () => {
    const cookie = await signInAdmin();
    const newest = Math.max(0, ...(await readIncidents(LONG_AGO)).posted.map(({ id }) => id));
    const count = async () => (await readIncidents(LONG_AGO)).posted.length;
    const before = await count();
    const actor = { kind: "command" } as const;
    const { title, message } = incident;
    const posts = ["One", "Two"].map((first) =>
      postIncident(db(), { title: `${first}: ${title}`, severity: "degraded", message }, actor, newest),
    );
    const results = await Promise.allSettled(posts);
    expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(await count()).toBe(before + 1);
    const again = { ...incident, newest_shown: String(newest) };
    expect(await postFormForFlash(post, {}, again, cookie)).toMatchObject({
      kind: "form",
      errors: { title: expect.stringMatching(/“(?:One|Two): Wrong prices” was\. Add an update to it/) },
      values: { message },
    });
    const [open] = (await readIncidents(LONG_AGO)).posted;
    const knowing = { ...incident, newest_shown: String(open?.id) };
    expect(await postFormForFlash(post, {}, knowing, cookie)).toMatchObject({ kind: "done" });
  });

  it("a manual incident without a title and text, or with an unknown severity, is refused, naming each field", async () => {
    const cookie = await signInAdmin();
    expect(
      await postFormForFlash(post, {}, { ...incident, title: "", severity: "odd", message: "" }, cookie),
    ).toMatchObject({
      kind: "form",
      errors: { title: expect.any(String), severity: expect.any(String), message: expect.any(String) },
    });
    for (const named of ["posted/999999", "incident/999999"])
      expect(
        await postFormForFlash(update, {}, { incident: named, stage: "update", message: "x" }, cookie),
      ).toMatchObject({ kind: "failed" });
    expect(
      await postFormForFlash(update, {}, { incident: "posted/x", stage: "update", message: "x" }, cookie),
    ).toMatchObject({ kind: "form", errors: { incident: "must be an incident" } });
  });
});

describe("an automatic incident", () => {
  it("an automatic incident names its former and its new cause, takes updates, and ends only by its checks", async () => {
    const sql = connectDirectly();
    const probe = (minutesAgo: number, status: string, reason: string) =>
      sql`insert into health_probes (minute, status, reasons, components)
          values (date_trunc('minute', now()) - make_interval(mins => ${minutesAgo}), ${status}, ${[reason]}, '{}')`;
    await probe(5, "degraded", "stale_slots: 3 of 8 slots are stale");
    await probe(4, "degraded", "stale_slots: 3 of 8 slots are stale");
    await db().transaction(trackIncidents);
    await probe(3, "degraded", "prediction_lag: the newest signal is 90 min old");
    await probe(2, "degraded", "prediction_lag: the newest signal is 91 min old");
    await db().transaction(trackIncidents);
    await probe(1, "down", "prediction_lag: the newest signal is 400 min old");
    await probe(0, "down", "prediction_lag: the newest signal is 401 min old");
    await db().transaction(trackIncidents);
    await sql.end();
    const [open] = (await readIncidents(LONG_AGO)).incidents;
    expect(open?.updates.map(({ message }) => message)).toEqual([
      "The cause has changed: The newest signal is 91 min old. Before: 3 of 8 slots are stale.",
      "It is now down: The newest signal is 401 min old. Before: The newest signal is 91 min old.",
    ]);
    const cookie = await signInAdmin();
    const say = (stage: string) =>
      postFormForFlash(
        update,
        {},
        { incident: `incident/${open?.id}`, stage, message: "We are on it." },
        cookie,
      );
    expect(await say("resolved")).toMatchObject({ kind: "form", errors: { stage: expect.any(String) } });
    expect(await say("investigating")).toMatchObject({ kind: "done" });
    expect((await readIncidents(LONG_AGO)).incidents[0]?.updates).toHaveLength(3);
  });
});

import { sql } from "drizzle-orm";
import { renderToStaticMarkup } from "react-dom/server";
import { beforeAll, describe, expect, it } from "vitest";
import { Markdown } from "@/app/_components/markdown";
import { POST as saveText } from "@/app/admin/(area)/settings/texts/[name]/save/route";
import { db } from "@/db/client";
import { listAcceptedSiteTextIds, listTextVersions } from "@/db/queries/site";
import { currentText, fillPlaceholders, templateOf } from "@/lib/admin/settings/texts/current-text";
import { brand } from "@/lib/runtime/brand";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { acceptTexts } from "@/lib/subscribers/accept-texts";
import { TEXTS_TO_ACCEPT } from "@/lib/vocabulary";
import { postFormForFlash, signInAdmin, storeSetting } from "@/tests/support/admin-browser";
import { makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";

useDatabase();

let cookie = "";
beforeAll(async () => {
  cookie = await signInAdmin();
});

const send = (name: string, fields: Record<string, string>) =>
  postFormForFlash(saveText, { name }, fields, cookie);
const store = async (name: string, content: string) =>
  (await storeSetting(saveText, { name }, { content }, cookie)).lines;

describe("operator texts", () => {
  it("operator texts are templates with the brand until the operator writes one", async () => {
    const { content, version } = await currentText("terms");
    expect(version).toBeNull();
    expect(content).toContain("Signal Delivery Service sends trading signals");
    expect(content).not.toContain("{{");
  });

  it("each change of a text is a new version after a preview of who is affected, and earlier versions are kept", async () => {
    await makeKey({ plan_tier: "basic" });
    const lines = await store("terms", "## One\n\nOf {{service}}.");
    expect(lines).toEqual([
      "It becomes version 1. It replaces the template.",
      "1 subscriber with access would be asked to accept it, once, at the next visit to the portal. Their keys keep working.",
    ]);
    expect(await currentText("terms")).toMatchObject({
      content: "## One\n\nOf Signal Delivery Service.",
      version: { number: 1 },
    });
    await store("terms", "## Two");
    expect((await listTextVersions(db(), "terms")).map(({ version, content }) => [version, content])).toEqual(
      [
        [2, "## Two"],
        [1, "## One\n\nOf {{service}}."],
      ],
    );
    expect(await send("terms", { content: "## Two" })).toMatchObject({
      text: expect.stringContaining("nothing was changed"),
    });
    const audit = await db().execute<{ target: string }>(
      sql`select target from admin_audit where action = 'text.change' order by id`,
    );
    expect(audit.map(({ target }) => target)).toEqual(["text/terms/1", "text/terms/2"]);
  });

  it("a stored version of a text cannot change", async () => {
    await expect(db().execute(sql`update site_texts set content = 'x'`)).rejects.toThrow();
    await expect(db().execute(sql`delete from site_texts`)).rejects.toThrow();
  });

  it("a text is refused with an unknown placeholder, with the template's instruction, or when empty", async () => {
    for (const name of ["imprint", "terms", "privacy"] as const)
      expect(await send(name, { content: templateOf(name) })).toMatchObject({
        kind: "form",
        errors: { content: expect.stringContaining("must not contain the template's sentence") },
      });
    expect(await send("privacy", { content: "{{nmae}}" })).toMatchObject({
      kind: "form",
      errors: { content: expect.stringContaining("must not contain {{nmae}}; use {{service}}") },
    });
    expect(await send("privacy", { content: " " })).toMatchObject({
      kind: "form",
      errors: { content: "must not be empty" },
    });
  });

  it("a version of a text is accepted once per person, as it was shown", async () => {
    await store("risk", "You can lose.");
    const asked = settingsCache().now.texts.filter(({ isAsked }) => isAsked);
    expect(asked.map(({ name }) => name)).toEqual([...TEXTS_TO_ACCEPT].toSorted());
    const [user] = await db().execute<{ id: string }>(
      sql`insert into users (email_normalized) values ('ada@example.com') returning id`,
    );
    const userId = user?.id ?? "";
    const ids = asked.map(({ id }) => id);
    const actor = { kind: "subscriber", subscriptionId: 1, address: "::1", requestId: "r" } as const;

    // A new version is published while the subscriber reads the texts.
    await store("risk", "You can lose everything.");
    expect(await acceptTexts(db(), { userId, shown: ids }, actor)).toBe(false);
    expect(await listAcceptedSiteTextIds(db(), userId, ids)).toEqual([]);

    const shown = settingsCache()
      .now.texts.filter(({ isAsked }) => isAsked)
      .map(({ id }) => id);
    expect(await acceptTexts(db(), { userId, shown }, actor)).toBe(true);
    expect(await acceptTexts(db(), { userId, shown }, actor)).toBe(true);
    expect((await listAcceptedSiteTextIds(db(), userId, shown)).toSorted()).toEqual(shown.toSorted());
    const audit = await db().execute<{ target: string; subscription_id: number }>(
      sql`select target, subscription_id from admin_audit where action = 'text.accept' order by target`,
    );
    expect(audit.map(({ target, subscription_id }) => [target, subscription_id])).toEqual([
      ["text/risk/2", 1],
      ["text/terms/2", 1],
    ]);

    await db().execute(sql`delete from users where id = ${userId}`);
    expect(await listAcceptedSiteTextIds(db(), userId, shown)).toEqual([]);
  });
});

describe("operator Markdown", () => {
  const draw = (text: string) => renderToStaticMarkup(<Markdown text={text} />);

  it("operator Markdown renders headings, lists, tables and links", () => {
    expect(draw("# A & B\n\n- one *two* **three**\n\n1. [x](https://x.example/?a=1&b=2)")).toBe(
      '<h2>A &amp; B</h2><ul><li>one <em>two</em> <strong>three</strong></li></ul><ol start="1"><li><a href="https://x.example/?a=1&amp;b=2" class="link">x</a></li></ol>',
    );
    expect(draw("| a | b |\n|---|---|\n| 1 | 2 |")).toContain("<td");
    expect(draw("Write to <help@x.example>.")).toContain('href="mailto:help@x.example"');
  });

  it.each([
    ["<script>alert(1)</script>", "&lt;script&gt;"],
    ["a <img src=x onerror=alert(1)> b", "&lt;img src=x onerror=alert(1)&gt;"],
    ["[x](javascript:alert(1))", "<p>x</p>"],
    ["[x](data:text/html,y)", "<p>x</p>"],
    ["[x](//evil.example)", "<p>x</p>"],
    ["![picture](https://x.example/a.png)", "<p>picture</p>"],
  ])("operator Markdown ignores %s", (text, shown) => {
    const html = draw(text);
    expect(html).toContain(shown);
    expect(html).not.toMatch(/<(?:script|img|a)\b/);
  });

  it("operator Markdown shows unknown placeholders as written", () => {
    expect(fillPlaceholders("{{ service }} {{nmae}}")).toBe("Signal Delivery Service {{nmae}}");
  });

  it("operator Markdown names the contact address, or says that none is configured", () => {
    const contact = (change: { supportAddress?: string; mailFrom?: string }) =>
      fillPlaceholders("{{contact}}", {
        ...brand(),
        supportAddress: null,
        mailFrom: "no-reply@a.test",
        ...change,
      });
    expect(contact({ supportAddress: "help@a.test" })).toBe("Write to <help@a.test>.");
    expect(contact({ mailFrom: "Signals <signals@a.test>" })).toBe("Write to <signals@a.test>.");
    expect(contact({})).toBe("The operator has not configured a contact address yet.");
  });
});

it.each(["/\\evil.test", "/\\/evil.test", "//evil.test", "</\t/evil.test>", "javascript:alert(1)"])(
  "operator Markdown renders no link to %s",
  (target) => {
    expect(renderToStaticMarkup(<Markdown text={`[x](${target})`} />)).not.toContain("<a");
  },
);

it("operator Markdown renders links within the site", () => {
  expect(renderToStaticMarkup(<Markdown text="[x](/docs?a=1#b)" />)).toContain('href="/docs?a=1#b"');
});

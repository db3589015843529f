import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { ExtendedBefore } from "@/app/admin/(area)/subscribers/extend/_components/extended-before";

it("the form of an extension that was sent before shows what it did, and a link to a new form", () => {
  const at = new Date("2026-11-30T10:00:00Z");
  const done = {
    id: 1,
    days: 7,
    nSubscribers: 3,
    nExtended: 2,
    nRemaining: 0,
    createdAt: at,
    finishedAt: at,
  };
  const html = renderToStaticMarkup(
    <ExtendedBefore done={done} again="/admin/subscribers/extend?form=new" />,
  );
  const text = html.replaceAll(/<[^>]+>/g, "");
  expect(text).toContain("This list was extended already");
  expect(text).toContain("7 days for 2 subscribers, 1 skipped");
  expect(html).toContain('href="/admin/subscribers/extend?form=new"');
  expect(html).not.toContain("<form");
});

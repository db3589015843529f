import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { OutboxNotice } from "@/app/_components/outbox-notice";
import { MailStatePill } from "@/app/admin/(area)/mail/_components/mail-labels";
import { env } from "@/lib/runtime/env";
import { useDatabase } from "@/tests/support/database";

useDatabase();

it("the notice says where mails are only while none are sent", async () => {
  expect(renderToStaticMarkup(await OutboxNotice())).toContain("folder “outbox”");
  const { serviceSecrets } = env();
  Object.assign(env(), { serviceSecrets: { ...serviceSecrets, SMTP_URL: ["smtp://mail.example:2525"] } });
  try {
    expect(await OutboxNotice()).toBeNull();
  } finally {
    Object.assign(env(), { serviceSecrets });
  }
});

it("a mail that only the outbox has is not called sent", () => {
  const textOf = (mail: Parameters<typeof MailStatePill>[0]) =>
    renderToStaticMarkup(<MailStatePill {...mail} />).replaceAll(/<[^>]+>/g, "");
  expect(textOf({ status: "sent", transport: "outbox" })).toBe("In the outbox");
  expect(textOf({ status: "sent", transport: "smtp" })).toBe("Sent");
  expect(textOf({ status: "dead", transport: "smtp" })).toBe("Failed");
});

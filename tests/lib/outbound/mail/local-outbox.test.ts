import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import PostalMime from "postal-mime";
import { afterAll, expect, it } from "vitest";
import { localOutbox } from "@/lib/outbound/mail/transports/local-outbox";

const directory = mkdtempSync(join(tmpdir(), "outbox-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const mail = {
  mailId: 7,
  kind: "key-created",
  from: "Signals <signals@example.test>",
  to: "buyer@example.com",
  unsubscribeUrl: null,
  subject: "Your API key is ready",
  html: "<p>key</p>",
  text: "key\n",
};

it("a mail becomes one .eml file that a mail parser reads and only the file's owner can open", async () => {
  const outbox = localOutbox(directory);
  expect(await outbox.send(mail)).toEqual({ result: "sent" });
  expect(await outbox.send(mail)).toEqual({ result: "sent" });
  const folder = join(directory, "outbox");
  expect(readdirSync(folder)).toEqual(["7-key-created.eml"]);
  const file = join(folder, "7-key-created.eml");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  const parsed = await PostalMime.parse(readFileSync(file));
  expect(parsed).toMatchObject({
    subject: mail.subject,
    to: [{ address: mail.to }],
    messageId: "<key-created.7@example.test>",
  });
});

it("a mail to an unwritable outbox folder is retried later", async () => {
  const outbox = localOutbox(join(directory, "outbox", "7-key-created.eml"));
  expect(await outbox.send(mail)).toEqual({ result: "retry", code: "outbox_ENOTDIR" });
});

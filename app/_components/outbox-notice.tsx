import { mailTransport } from "@/lib/outbound/mail/mail-transport";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { Notice } from "./notice";

/** Says where mails go while no mail transport is configured. Renders nothing if mails are sent or settings cannot be read. */
export async function OutboxNotice() {
  // A new process has not read the stored secrets yet.
  const isKnown = await settingsCache()
    .get()
    .then(
      () => true,
      () => false,
    );
  if (!isKnown || mailTransport().name !== "outbox") return null;
  return (
    <Notice title="This service sends no mail yet">
      Its operator finds every mail as a file in the folder “outbox” of the data directory.
    </Notice>
  );
}

import { mailTransport } from "@/lib/outbound/mail/mail-transport";
import { Notice } from "./notice";

/** Says where mails go while no mail transport is configured. Renders nothing if mails are sent. */
export function OutboxNotice() {
  if (mailTransport().name !== "outbox") return null;
  return (
    <Notice title="This service sends no mail yet">
      Its operator finds every mail as a file in the folder “outbox” of the data directory.
    </Notice>
  );
}

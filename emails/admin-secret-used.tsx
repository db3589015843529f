import { formatDateTime } from "./format";
import { Frame, type MailLinks, NameValueTable, Paragraph } from "./frame";
import { PREVIEW_LINKS } from "./preview-links";

export interface AdminSecretUsedProps {
  at: string;
  /** The network address of the browser. */
  address: string;
  links: MailLinks;
}

export const subject = () => "Someone signed in with the administrator secret";

/** Sent to every owner after a sign-in with the installation's secret. */
export function Message({ at, address, links }: AdminSecretUsedProps) {
  return (
    <Frame
      subject={subject()}
      preheader="If no owner did this, replace ADMIN_SECRET now."
      heading="The administrator secret was used"
      footer="You get this mail because you are an owner of this service."
      links={links}
    >
      <Paragraph>
        Someone signed in to the administrator's area with the secret of the installation. The audit log shows
        what was done. If no owner did this, replace ADMIN_SECRET now.
      </Paragraph>
      <NameValueTable
        rows={[
          ["When", formatDateTime(at)],
          ["From", address],
        ]}
      />
    </Frame>
  );
}

export const previewProps: AdminSecretUsedProps = {
  at: "2026-11-21T09:30:00Z",
  address: "198.51.100.7",
  links: PREVIEW_LINKS,
};

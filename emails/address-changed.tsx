import { ActionButton, Frame, Greeting, type MailLinks, Paragraph } from "./frame";
import { PREVIEW_LINKS } from "./preview-links";

export interface AddressChangedProps {
  name: string | null;
  /** Whether this mail goes to the new address. */
  isNew: boolean;
  /** Whether the operator changed it instead of the subscriber. */
  byOperator?: boolean;
  links: MailLinks;
}

export const subject = () => "Your address was changed";

/** Sent to both addresses after the address of an account changed. */
export function Message({ name, isNew, byOperator = false, links }: AddressChangedProps) {
  return (
    <Frame
      subject={subject()}
      preheader={byOperator ? "The operator changed it." : "Both addresses confirmed the change."}
      heading={subject()}
      footer={
        byOperator
          ? "You get this mail because the operator of the service changed the address of your account. If you did not ask for it, write to us."
          : "You get this mail because both addresses confirmed the change. If it was not you, write to us."
      }
      links={links}
    >
      <Greeting name={name} />
      <Paragraph>
        {isNew
          ? "Your account now has this address. Sign in with it; all mail goes here."
          : "Your account now has another address. You can no longer sign in with this one, and this is the last mail to it."}
      </Paragraph>
      <Paragraph>
        Your key, your plan and your results stay the same. Payments with either address count for you.
      </Paragraph>
      {isNew && <ActionButton href={links.portal}>Open the portal</ActionButton>}
    </Frame>
  );
}

export const previewProps: AddressChangedProps = {
  name: "Ada Lovelace",
  isNew: true,
  links: PREVIEW_LINKS,
};

import { Link } from "react-email";
import { ActionButton, type MailLinks, Paragraph } from "./frame";
import { STYLES } from "./theme";

/** Subject of the mails about a payment whose time had ended when the platform reported it. */
export const LATE_PAYMENT = "Your payment arrived late";

export const LATE_PAYMENT_PREHEADER = "The time that it paid for has ended, so your access is not open.";

/** Says how to get access after a late payment: write to the operator, or renew. */
export function LatePaymentStep({ links }: { links: MailLinks }) {
  return (
    <>
      <Paragraph>
        {links.contact === null ? (
          "Contact the seller"
        ) : (
          <>
            Write to{" "}
            <Link className="link" href={`mailto:${links.contact}`} style={STYLES.link}>
              {links.contact}
            </Link>
          </>
        )}{" "}
        and ask for the days that you paid for{links.shop === null ? "." : ", or renew."} Your key works as
        soon as your access is extended.
      </Paragraph>
      {links.shop !== null && <ActionButton href={links.shop}>Renew</ActionButton>}
    </>
  );
}

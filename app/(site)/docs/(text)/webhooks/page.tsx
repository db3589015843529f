import { CodeBlock } from "@/app/_components/code-block";
import { Article } from "@/app/(site)/docs/(text)/_parts/article";
import { Facts } from "@/app/(site)/docs/(text)/_parts/facts";
import { webhookSignature } from "@/app/(site)/docs/(text)/_snippets/snippets";

export const metadata = {
  title: "Payment webhook",
  description: "How paid invoices become keys and refunds end access.",
};

export default function Webhooks() {
  return (
    <Article
      page="webhooks"
      title="Payment webhook"
      lead={
        <>
          For operators. The payment platform posts its events to <code>POST /webhooks/payment</code>; paid
          invoices make keys, refunds end access.
        </>
      }
    >
      <h2 id="signature">The signature</h2>
      <p>
        The header <code>x-signature</code> holds the HMAC-SHA256 of the raw body in hexadecimal, made with
        the secret in <code>PAYMENT_WEBHOOK_SECRET</code>. Nothing is read before it is right. Missing,
        malformed, wrong, or no secret configured: 403 in each case. To try it out:
      </p>
      <CodeBlock {...webhookSignature} />
      <h2 id="events">Events and answers</h2>
      <Facts
        caption="Events"
        headers={["Event", "Effect", "Action in the answer"]}
        rows={[
          [
            "payment.invoice_paid",
            "Makes a key and mails it, or extends the one that the buyer has, which works again where it had expired. An invoice counts once.",
            "api_key_created, already_provisioned",
          ],
          ["payment.invoice_canceled", "Ends the buyer's access and the invoice.", "access_revoked"],
          [
            "payment.invoice_refunded",
            "The same. One that says of itself that it is partial (amount_refunded below what was paid, or the status partially_refunded) takes nothing away and is flagged for you.",
            "access_revoked",
          ],
          ["payment.invoice_chargeback", "The same.", "access_revoked"],
          [
            "payment.failed and the like",
            "Keeps access open for the product's days of grace, once, and mails the buyer. Its names, and the days where the product is not known, are set under Settings, Access and payments.",
            "ignored, unknown_event",
          ],
          [
            "payment.chargeback_won and the like",
            "The keys that the chargeback switched off work again until the ends that they have, and the buyer is mailed. Where the buyer has a key by then, or something else took access away since, it is flagged for you instead.",
            "ignored, unknown_event",
          ],
          ["anything else", "None.", "ignored, with a reason"],
        ]}
      />
      <h2 id="order">Order and repetition</h2>
      <p>
        Deliveries may come twice or in the wrong order. The same delivery changes nothing the second time. A
        refund ends an invoice for good: if its payment arrives later, it makes no key. Every delivery is kept
        in the administrator&apos;s inbox with its outcome and can be applied again from there.
      </p>
      <h2 id="plans">Products and periods</h2>
      <p>
        The product of the first item decides plan, period and grace, by the table of products: monthly ones
        run 31 days with three days of grace, single payments 365 days. A product that is not in the table
        goes by the word pro or basic in its name; with neither it becomes basic and is flagged for you.
      </p>
      <h2 id="platforms">Other platforms</h2>
      <p>
        Stripe, Paddle, Lemon Squeezy, Whop and Gumroad post to <code>POST /webhooks/payments/stripe</code>{" "}
        and so on, in their own form and with their own signature. Each has a secret of its own,{" "}
        <code>STRIPE_WEBHOOK_SECRET</code> and the like, and a second one while it is replaced. The
        administrator&apos;s area lists the addresses and the events to choose, and sends tests. A platform
        without a secret gets 403.
      </p>
      <h2 id="privacy">Privacy</h2>
      <p>
        Logs never hold the buyer&apos;s e-mail address, only four hexadecimal digits of its hash:{" "}
        <code>email#ab12</code>.
      </p>
    </Article>
  );
}

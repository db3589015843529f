import { connection } from "next/server";
import { PageHeader } from "@/app/_components/page-header";
import { contactAddress } from "@/lib/outbound/mail/contact";

export const metadata = {
  title: "Security",
  description: "How to report a vulnerability, what to keep in mind, and what is stored.",
};

export default async function Security() {
  await connection();
  const address = contactAddress();
  return (
    <div className="mx-auto max-w-6xl px-4 py-12 sm:px-6 lg:py-16">
      <PageHeader title="Security" lead="Found a vulnerability? Thank you for telling us first." />
      <div className="prose">
        <h2>How to report</h2>
        {address === null && <p>The operator has not configured a contact address yet.</p>}
        <p>
          Write to {address ? <a href={`mailto:${address}`}>{address}</a> : "the operator"} with what you did,
          what happened, and what an attacker could do with it. Include the request id from the response, and
          never a working key of another person.
        </p>
        <h2>What to keep in mind</h2>
        <ul>
          <li>Use your own subscription. Do not read, change or delete data of others.</li>
          <li>No load tests and no mass mail.</li>
          <li>Give us time to fix it before you publish.</li>
        </ul>
        <h2>What is stored</h2>
        <p>
          A new key is stored encrypted until its mail is sent and, if it was created on a page, until that
          page has shown it. After that we keep only its fingerprint and its first and last four characters.
          Payment messages are stored encrypted. Logs contain no keys, secrets or e-mail addresses. The
          service has no access to any trading account.
        </p>
      </div>
    </div>
  );
}

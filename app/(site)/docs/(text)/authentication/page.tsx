import { Link } from "@/app/_components/link";
import { Article } from "@/app/(site)/docs/(text)/_parts/article";
import { Facts } from "@/app/(site)/docs/(text)/_parts/facts";
import { paths } from "@/lib/paths";

export const metadata = {
  title: "Authentication",
  description: "The API key: how it is sent, when it ends, how it is replaced.",
};

const errorLink = (code: string) => (
  <Link href={paths.docs("errors", code)} className="link">
    {code}
  </Link>
);

export default function Authentication() {
  return (
    <Article
      page="authentication"
      title="Authentication"
      lead="One header carries one key. It is a secret like a password: anyone who has it can read your signals and report positions in your name."
    >
      <h2 id="header">The header</h2>
      <p>
        Every path under <code>/api</code> wants <code>X-API-Key</code>, except <code>/api/health</code> with
        the probes below it, what lies under <code>/api/public</code>, and <code>/api/feed/bars</code>, which
        wants the token of a feed. The key is a UUID; upper or lower case and blanks around it make no
        difference. It is never read from the address, because addresses end up in logs.
      </p>
      <h2 id="refusals">When it is refused</h2>
      <p>
        Status 401 always means the key, and repeating the request will not help. The <code>code</code> says
        why:
      </p>
      <Facts
        caption="Refusals of a key"
        headers={["Code", "What happened", "What to do"]}
        mono={false}
        rows={[
          ["key_missing", "The header was not sent.", "Send X-API-Key."],
          ["key_invalid", "The key is not known.", "Copy it again, whole."],
          ["key_rotated", "A newer key replaced it.", "Paste the new key into the client."],
          ["key_expired", "The paid period is over.", "Renew; a renewal keeps the same key."],
          [
            "key_suspended",
            "The operator holds the key back for the time being.",
            "Write to the seller of the access; the same key works again afterwards.",
          ],
          [
            "key_revoked",
            "Access was ended, for example by a refund.",
            "Write to the operator who sold you the access.",
          ],
        ]}
      />
      <p>
        A 503 with {errorLink("key_unverifiable")} is different: the service could not look the key up just
        now. Wait as <code>Retry-After</code> says and try again.
      </p>
      <h2 id="shown-once">Shown once</h2>
      <p>
        A key is shown in full when it is made and never again, because only a fingerprint of it is stored.
        Lists show a hint of its first and last four characters, <code>3f2a****c91b</code>.
      </p>
      <h2 id="rotation">Replacing a key</h2>
      <p>
        In the portal, or with <code>POST /api/account/regenerate-key</code>. The old key stops in that
        moment, so your client is cut off until the new one is pasted. Your record, limits and history stay:
        they belong to the subscription, not to the key.
      </p>
      <h2 id="expiry">After it has expired</h2>
      <p>
        For 72 hours an expired or suspended key may still report that a position it had opened was closed.
        Reading signals ends at once. As soon as a payment arrives the same key works again: nothing has to be
        changed in the charts.
      </p>
    </Article>
  );
}

import { formatNumber } from "@/app/_components/figures";
import { Link } from "@/app/_components/link";
import { Article } from "@/app/(site)/docs/(text)/_parts/article";
import { Facts } from "@/app/(site)/docs/(text)/_parts/facts";
import { plans } from "@/lib/access/plans";
import { paths } from "@/lib/paths";
import { env } from "@/lib/runtime/env";
import { MOST_AHEAD } from "@/lib/server/exchanges";

export const metadata = {
  title: "Limits",
  description: "How often a key may ask, and how the answer says what is left.",
};

export default function Limits() {
  return (
    <Article
      page="limits"
      title="Limits"
      lead="A limit holds for a subscription in any 60 seconds that you look at, not per clock minute."
    >
      <h2 id="rates">Requests per minute</h2>
      <Facts
        caption="Requests per minute by plan"
        headers={["Plan", "Requests in any 60 seconds"]}
        rows={plans().map(({ name, rateLimitPerMin }) => [name, formatNumber(rateLimitPerMin)] as const)}
      />
      <p>
        A key can have a figure of its own; <code>GET /api/account/me</code> shows the one in force. Reports
        of executions count in a bucket of their own of the same size, so that polling can never block the
        report of a closed position.
      </p>
      <h2 id="headers">What the answers say</h2>
      <p>Every answer to a valid key carries them, 304 and 429 included:</p>
      <Facts
        caption="Headers about the limit"
        headers={["Header", "Meaning"]}
        rows={[
          ["X-RateLimit-Limit", "Requests allowed in 60 seconds."],
          ["X-RateLimit-Remaining", "How many are left now."],
          ["X-RateLimit-Reset", "Seconds until there is more room."],
          ["RateLimit-Policy, RateLimit", "The same as the IETF draft writes it."],
          ["Retry-After", "With 429 and 503: whole seconds to wait, at least 1."],
        ]}
      />
      <h2 id="open">Open at once</h2>
      <p>
        A request that <Link href={paths.docs("live")}>waits or streams</Link> counts once when it begins. A
        key may have {env().openPerKey} of them at once.
      </p>
      <p>
        One connection may send {MOST_AHEAD} requests ahead of their answers. One that sends on is told so
        with 429 and closed.
      </p>
      <h2 id="sizes">Sizes</h2>
      <p>
        A request body has at most 64 KiB and is nested at most 20 deep. <code>limit</code> and{" "}
        <code>days</code> have the ranges that the reference states; a value outside is refused with 422,
        never changed silently.
      </p>
      <h2 id="addresses">Without a valid key</h2>
      <p>
        Paths that need no key allow 240 requests per minute and address. Unknown or malformed keys are turned
        away with 429 after 20 per minute and address; a valid key from the same address always passes.
      </p>
    </Article>
  );
}

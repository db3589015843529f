import { redirect } from "next/navigation";
import { Button } from "@/app/_components/button";
import { FactList } from "@/app/_components/fact-list";
import { Notice } from "@/app/_components/notice";
import { formatDay } from "@/app/_components/times";
import { planTitle } from "@/lib/access/plans";
import { TEXT_TITLES } from "@/lib/admin/settings/texts/templates";
import { currentSubscriber, textsToAccept } from "@/lib/auth/require-subscriber";
import { safeReturnPath } from "@/lib/auth/safe-return-path";
import { paths } from "@/lib/paths";
import { planNames } from "@/lib/runtime/plan-features";
import { TEXTS_TO_ACCEPT } from "@/lib/vocabulary";

export const metadata = { title: "Before you continue" };

type Params = Promise<{ next?: string | string[]; error?: string | string[] }>;

const HREFS: Record<(typeof TEXTS_TO_ACCEPT)[number], string> = { terms: paths.terms(), risk: paths.risk() };

/** Shown between sign-in and portal, once for each version of a text that requires acceptance, with the state of the key. */
export default async function AcceptTexts({ searchParams }: { searchParams: Params }) {
  const { next: wanted, error } = await searchParams;
  const next = safeReturnPath(wanted, paths.portal());
  const found = await currentSubscriber();
  if (found.kind === "signed-out") redirect(paths.login(next));
  if (found.kind === "no-access") redirect(paths.chooseSubscription(next));
  const { subscriber } = found;
  const required = await textsToAccept(subscriber);
  if (required.length === 0) redirect(next);
  return (
    <>
      <h1 className="text-2xl">Before you continue</h1>
      <p className="mt-2 text-muted">
        Accept {required.length === 1 ? "this text" : "these texts"} to open the portal. Your key works in the
        meantime.
      </p>
      {error === "changed" && (
        <div className="mt-6">
          <Notice tone="warn" title="A text has just changed" announce>
            Your acceptance was not saved. Please read the new version.
          </Notice>
        </div>
      )}
      <ul className="mt-6 divide-y overflow-hidden rounded-lg border bg-raised">
        {TEXTS_TO_ACCEPT.flatMap((name) => {
          const text = required.find((one) => one.name === name);
          return text === undefined
            ? []
            : [
                <li key={name} className="flex flex-wrap items-center justify-between gap-3 p-4 sm:px-5">
                  <a href={HREFS[name]} className="link font-medium">
                    {TEXT_TITLES[name]}
                  </a>
                  <span className="text-sm text-muted">Version {text.version}</span>
                </li>,
              ];
        })}
      </ul>
      <form method="post" action={paths.acceptTextsForm()} className="mt-6 flex flex-wrap gap-2">
        <input type="hidden" name="texts" value={required.map(({ id }) => id).join(",")} />
        <input type="hidden" name="next" value={next} />
        <Button type="submit" variant="primary">
          I accept
        </Button>
      </form>
      <section aria-labelledby="your-key" className="mt-10">
        <h2 id="your-key" className="text-base">
          Your key
        </h2>
        <div className="mt-3">
          <FactList
            facts={[
              { name: "Key", value: subscriber.hint },
              { name: "Plan", value: planNames(subscriber).map(planTitle).join(" and ") },
              {
                name: "Works until",
                value: subscriber.expiresAt ? formatDay(subscriber.expiresAt) : "no end date",
              },
            ]}
          />
        </div>
      </section>
      <form method="post" action={paths.signOut()} className="mt-6">
        <Button type="submit" variant="quiet">
          Sign out
        </Button>
      </form>
    </>
  );
}
